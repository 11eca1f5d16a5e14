// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** A link that does nothing, for tests that say what they want it to do. */
abstract class NoLink implements Link {

    private static AssertionError unexpected() {
        return new AssertionError("nobody should ask for this");
    }

    @Override
    public CompletionStage<List<Object>> run(Script script, byte[] key, byte[][] arguments) {
        throw unexpected();
    }

    @Override
    public CompletionStage<Long> awaitReplicas(int replicas, Duration patience) {
        throw unexpected();
    }

    @Override
    public CompletionStage<Void> subscribe(String channel) {
        throw unexpected();
    }

    @Override
    public void unsubscribe(String channel) {
        throw unexpected();
    }

    @Override
    public CompletionStage<String> info(String section) {
        throw unexpected();
    }

    @Override
    public CompletionStage<Map<String, String>> settings(String pattern) {
        throw unexpected();
    }

    @Override
    public boolean isCluster() {
        return false;
    }

    @Override
    public void lookForPrimary() {
        throw unexpected();
    }

    @Override
    public void close() {}
}
