// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import io.leasehold.server.access.EdgeLimits;
import io.leasehold.server.access.Security;
import io.leasehold.server.api.OperationsOptions;
import io.leasehold.server.engine.Namespaces;
import io.leasehold.server.engine.StoreAddress;
import io.leasehold.spi.Time;

import java.time.Duration;

/**
 * How a server is set up. Made complete by {@link #on} and varied by the {@code with…} methods.
 * Immutable.
 *
 * @param listen where it listens
 * @param store where leases are kept
 * @param security who is let in, over what
 * @param limits what it takes from the network and from each principal
 * @param bounds how much there may be of everything
 * @param time the only clock
 */
public record ServerOptions(
        Listen listen,
        StoreAddress store,
        Security security,
        EdgeLimits limits,
        Bounds bounds,
        Time time) {

    /** The usual port. */
    public static final int DEFAULT_PORT = 5327;

    /**
     * Where a server listens.
     *
     * @param host name or address
     * @param port 0 for any that is free
     */
    public record Listen(String host, int port) {}

    /**
     * How much there may be of everything.
     *
     * @param calls of calls and watches
     * @param namespaces how many may be open, and for how long nobody need use them
     * @param drain for how long renewals and releases are served after a stop has begun
     */
    public record Bounds(
            OperationsOptions.Bounds calls, Namespaces.Bounds namespaces, Duration drain) {

        private static final Duration IDLE = Duration.ofMinutes(10);

        /** With so many namespaces, each of which may be unused for ten minutes. */
        public Bounds(OperationsOptions.Bounds calls, int namespaces, Duration drain) {
            this(calls, new Namespaces.Bounds(namespaces, IDLE), drain);
        }

        public static Bounds defaults() {
            return new Bounds(OperationsOptions.Bounds.defaults(), 64, Duration.ofSeconds(2));
        }
    }

    /** A server on this store that only its own machine reaches, at the usual port. */
    public static ServerOptions on(StoreAddress store) {
        return new ServerOptions(
                new Listen("127.0.0.1", DEFAULT_PORT),
                store,
                Security.open(),
                EdgeLimits.defaults(),
                Bounds.defaults(),
                Time.system());
    }

    public ServerOptions withListen(Listen changed) {
        return new ServerOptions(changed, store, security, limits, bounds, time);
    }

    /** The same at another port; 0 for any that is free. */
    public ServerOptions withPort(int port) {
        return withListen(new Listen(listen.host(), port));
    }

    public ServerOptions withSecurity(Security changed) {
        return new ServerOptions(listen, store, changed, limits, bounds, time);
    }

    public ServerOptions withLimits(EdgeLimits changed) {
        return new ServerOptions(listen, store, security, changed, bounds, time);
    }

    public ServerOptions withBounds(Bounds changed) {
        return new ServerOptions(listen, store, security, limits, changed, time);
    }

    public ServerOptions withTime(Time changed) {
        return new ServerOptions(listen, store, security, limits, bounds, changed);
    }
}
