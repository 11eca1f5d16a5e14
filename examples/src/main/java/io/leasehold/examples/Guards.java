// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The snippets of docs/guards.md. */
final class Guards {

    private final Map<String, Integer> stock = new HashMap<>(Map.of("book", 3));
    private final Guard<Map<String, Integer>> guard = MemoryGuard.around("stock", stock);

    private final Guard<ByteBuffer> image =
            MemoryGuard.around(Scope.inode(4711), ByteBuffer.allocate(8192));

    private final Map<String, Long> balances = new HashMap<>();

    private final Guard<Map<String, Long>> accounts =
            MemoryGuard.around(Scope.subtree("/accounts"), balances);

    long deposit(Leasehold leasehold, String account, long cents) {
        Scope part = Scope.path("/accounts/" + account); // comes again, unlike a payment
        try (Lease lease = leasehold.lock(part).acquire(Duration.ofSeconds(5))) {
            return accounts.change(
                    lease.admission(part), all -> all.merge(account, cents, Long::sum));
        }
    }

    byte writeSector(Leasehold leasehold, byte[] sector) {
        FencedLock firstPage = leasehold.lock(Scope.range(4711, 0, 4096));
        try (Lease lease = firstPage.acquire(Duration.ofSeconds(5))) {
            Admission admission = lease.admission(Scope.range(4711, 512, 1024));
            image.write(admission, bytes -> bytes.put(512, sector));
            return image.change(admission, bytes -> bytes.get(512));
        }
    }

    int sell(Leasehold leasehold) {
        try (Lease lease = leasehold.lock("stock").acquire(Duration.ofSeconds(5))) {
            guard.seal(lease.token()); // before the first read: earlier holders are shut out
            int left = stock.getOrDefault("book", 0) - 1;
            guard.write(lease.token(), books -> books.put("book", left));
            return left;
        }
    }

    String lateWriter(Lease stale) {
        try {
            guard.write(stale.token(), books -> books.put("book", 99));
            return "written";
        } catch (StaleTokenException e) {
            return "token " + e.token() + " came after token " + e.mark(); // nothing was written
        }
    }
}
