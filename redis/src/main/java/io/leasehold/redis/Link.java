// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The way to the server or servers: connections for calls, one for messages. All are made anew when
 * they break. Thread-safe; stages complete exceptionally with whatever the client library
 * throws, see {@link Failures}.
 */
interface Link extends AutoCloseable {

    /** Hears messages, one at a time. Must be quick. */
    interface Listener {

        void message(String channel, byte[] message);

        /** The channel is heard from now on, for the first time or again after a gap. */
        void subscribed(String channel);
    }

    /** Makes a link whose messages go to the listener. */
    @FunctionalInterface
    interface Factory {
        Link connect(Listener listener);
    }

    /** Runs the script on the key. */
    CompletionStage<List<Object>> run(Script script, byte[] key, byte[][] arguments);

    /**
     * A way for one call of a thread that is going to wait for the answer: it reads that itself.
     *
     * @return null if none is free
     */
    default @Nullable Lane lane() {
        return null;
    }

    /** For one call, once. */
    interface Lane {

        CompletionStage<List<Object>> run(Script script, byte[] key, byte[][] arguments);

        /** Reads the answer, if it comes before long; else somebody else will. */
        void read();
    }

    /** A reply did not arrive in time. */
    default void doubt() {}

    /**
     * Waits until replicas have all that was written through {@link #run}.
     *
     * @return how many have
     */
    CompletionStage<Long> awaitReplicas(int replicas, Duration patience);

    /** Hears the channel from when the stage completes, again after each reconnection. */
    CompletionStage<Void> subscribe(String channel);

    void unsubscribe(String channel);

    /** A section of INFO, and the settings that start with the given words, if they may be read. */
    CompletionStage<String> info(String section);

    CompletionStage<Map<String, String>> settings(String pattern);

    /** Whether this is a cluster, where subscribers may be connected to other servers. */
    boolean isCluster();

    /** Looks for the primary anew: the server it is connected to refuses to write. */
    void lookForPrimary();

    /** Ends the connections. Idempotent, does not throw. */
    @Override
    void close();
}
