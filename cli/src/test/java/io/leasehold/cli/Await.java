// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waiting for other processes, which no virtual time can drive. */
final class Await {

    private Await() {}

    /** Waits until something is so in another process. */
    static void until(Callable<Boolean> isSo) throws Exception {
        for (int i = 0; i < 2400; i++) {
            if (isSo.call()) {
                return;
            }
            boolean unused = new CountDownLatch(1).await(25, TimeUnit.MILLISECONDS);
        }
        throw new AssertionError("it did not come to pass within a minute");
    }
}
