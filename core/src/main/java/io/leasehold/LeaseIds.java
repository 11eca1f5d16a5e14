// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.LeaseId;

import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;

/**
 * Mints lease ids, drawing random bytes in bulk: a secure generator is slow per call, not per byte.
 */
final class LeaseIds {

    private static final int BULK = 4096;

    private final RandomGenerator random;
    private final ReentrantLock lock = new ReentrantLock(); // guards buffer
    private final ByteBuffer buffer = ByteBuffer.allocate(BULK).limit(0);

    LeaseIds(RandomGenerator random) {
        this.random = random;
    }

    LeaseId next() {
        lock.lock();
        try {
            if (!buffer.hasRemaining()) {
                random.nextBytes(buffer.array());
                buffer.clear();
            }
            int at = buffer.position();
            LeaseId id = new LeaseId(buffer.getLong(), buffer.getLong());
            buffer.putLong(at, 0).putLong(at + Long.BYTES, 0); // a secret is kept in one place only
            return id;
        } finally {
            lock.unlock();
        }
    }
}
