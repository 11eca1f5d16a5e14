// SPDX-License-Identifier: Apache-2.0
package consumer;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.jackson.JacksonCodec;
import io.leasehold.memory.MemoryLeaseStore;
import java.time.Duration;
import java.time.Instant;

/** Takes a lock and writes a value, as a named module. */
public final class Consumer {

    private Consumer() {}

    /** A result with what a mapper alone does not know. */
    record Receipt(String number, Instant at) {}

    public static void main(String[] args) {
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create());
                Lease lease = leasehold.lock("consumer").acquire(Duration.ofSeconds(10))) {
            System.out.println("module path, " + Leasehold.class.getModule() + ": token "
                    + lease.token());
        }
        JacksonCodec<Receipt> codec = JacksonCodec.of(Receipt.class);
        Receipt receipt = new Receipt("4711", Instant.EPOCH);
        if (!codec.decode(codec.encode(receipt)).equals(receipt)) {
            throw new IllegalStateException("the receipt came back as another");
        }
        if (!Leasehold.class.getModule().isNamed()) {
            throw new IllegalStateException("not on the module path");
        }
    }
}
