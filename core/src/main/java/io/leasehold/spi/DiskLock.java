// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.io.IOException;

/** A lock between processes that is held until it is closed. Any thread may close it. */
public interface DiskLock extends AutoCloseable {

    /**
     * Whether the name of the lock file still stands for the file that was locked. If somebody has
     * deleted or replaced it, another process can take a lock by that name, and this one is worth
     * nothing any more.
     */
    boolean isInPlace() throws IOException;

    /** Gives the lock back; the second time does nothing. */
    @Override
    void close();
}
