// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

/** A client of a Redis server as some library makes it, shared by the threads of a process. */
interface LockClient extends AutoCloseable {

    /**
     * A lock for one thread at a time. Locks of the same name exclude each other, those of other
     * clients of the same library too.
     */
    NamedLock lock(String name);

    @Override
    void close();

    /** Taken and given up by the same thread. */
    interface NamedLock {

        /** Waits as long as it takes, in the way of the library. */
        void acquire();

        void release();
    }
}
