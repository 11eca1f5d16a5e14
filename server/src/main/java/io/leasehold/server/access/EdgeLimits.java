// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import com.linecorp.armeria.server.ServerBuilder;

import io.netty.channel.ChannelPipeline;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * What the server takes from the network, and from each principal.
 *
 * @param connections at once; more are closed as they come in
 * @param streamsPerConnection calls at once on one HTTP/2 connection
 * @param headerBytes of a request
 * @param bodyBytes of a request, and of one message on a stream
 * @param idle a connection without a call is closed after so long, as is one whose headers take so
 *     long to come in and one whose client does not read its answers for so long
 * @param body a request's body must be there within so long; streams are exempt
 * @param principal what each principal may use
 */
public record EdgeLimits(
        int connections,
        int streamsPerConnection,
        int headerBytes,
        int bodyBytes,
        Duration idle,
        Duration body,
        PerPrincipal principal) {

    /**
     * What each principal may use. Whoever is "anyone" is not counted.
     *
     * @param leases live at once
     * @param calls under way at once, acquires that wait and watches included; what keeps or ends a
     *     lease is not counted
     * @param watches open at once, whether or not the principal may read
     * @param sessions open at once
     */
    public record PerPrincipal(int leases, int calls, int watches, int sessions) {

        public PerPrincipal {
            positive("leases per principal", leases);
            positive("calls per principal", calls);
            positive("watches per principal", watches);
            positive("sessions per principal", sessions);
        }
    }

    /** Resets of streams that one connection may cause in half a minute, or it is closed. */
    private static final int RESETS = 5_000;

    private static final int RESET_SECONDS = 30;

    /** A client that does not answer a ping is gone, and what it waits for is taken back. */
    private static final Duration PING = Duration.ofSeconds(10);

    private static final EdgeLimits DEFAULTS = new EdgeLimits(
            20_000,
            1_024,
            16 << 10,
            4 << 20,
            Duration.ofSeconds(60),
            Duration.ofSeconds(10),
            new PerPrincipal(100_000, 20_000, 100, 5_000));

    public EdgeLimits {
        positive("connections", connections);
        positive("streams per connection", streamsPerConnection);
        positive("header bytes", headerBytes);
        positive("body bytes", bodyBytes);
        positive("idle milliseconds", idle.toMillis());
        positive("body milliseconds", body.toMillis());
    }

    private static void positive(String what, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(what + ": " + value + "; it must be above 0");
        }
    }

    public static EdgeLimits defaults() {
        return DEFAULTS;
    }

    /** Holds a server to these limits. */
    public void applyTo(ServerBuilder server) {
        applyTo(server, pipeline -> {});
    }

    /** Holds a server to these limits, and adds to the pipelines of its connections. */
    public void applyTo(ServerBuilder server, Consumer<ChannelPipeline> more) {
        server.maxNumConnections(connections)
                .http2MaxStreamsPerConnection(streamsPerConnection)
                .http2MaxHeaderListSize(headerBytes)
                .http2MaxResetFramesPerWindow(RESETS, RESET_SECONDS)
                .http1MaxHeaderSize(headerBytes)
                .http1MaxInitialLineLength(Math.min(headerBytes, 8 << 10))
                .maxRequestLength(bodyBytes)
                .idleTimeout(idle, false)
                .pingInterval(PING)
                .decorator(new SlowBodies(body));
        Backpressure.applyTo(server, idle, RequestMemory.ofHeap(), more);
    }

    public EdgeLimits withConnections(int most) {
        return new EdgeLimits(
                most, streamsPerConnection, headerBytes, bodyBytes, idle, body, principal);
    }

    public EdgeLimits withPatience(Duration untilIdle, Duration untilBody) {
        return new EdgeLimits(
                connections,
                streamsPerConnection,
                headerBytes,
                bodyBytes,
                untilIdle,
                untilBody,
                principal);
    }

    public EdgeLimits withBodyBytes(int most) {
        return new EdgeLimits(
                connections, streamsPerConnection, headerBytes, most, idle, body, principal);
    }

    public EdgeLimits withPrincipal(PerPrincipal each) {
        return new EdgeLimits(
                connections, streamsPerConnection, headerBytes, bodyBytes, idle, body, each);
    }
}
