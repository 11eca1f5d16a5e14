// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

/** A lock between processes that is held until it is closed. Any thread may close it. */
public interface DiskLock extends AutoCloseable {

    /** Gives the lock back; the second time does nothing. */
    @Override
    void close();
}
