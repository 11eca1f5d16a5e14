// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.leasehold.spi.Time;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Where the servers of a store are and how they are used. Made complete by {@link #at} and varied
 * by the other methods. Immutable.
 *
 * @param address the servers and the namespace
 * @param security whom to believe, and what to show
 * @param patience how long to wait for a connection or an answer, beyond the wait for a lock
 * @param time clocks and timers
 * @param random the source of jitter; thread-safe
 */
public record RemoteOptions(
        RemoteAddress address,
        RemoteSecurity security,
        Duration patience,
        Time time,
        RandomGenerator random) {

    public RemoteOptions {
        if (patience.compareTo(Duration.ofMillis(10)) < 0
                || patience.compareTo(Duration.ofMinutes(1)) > 0) {
            throw new IllegalArgumentException(
                    "patience " + patience + " is not within 10 ms to 1 min");
        }
    }

    /** The servers and the namespace that a {@link RemoteAddress} says, and the usual rest. */
    public static RemoteOptions at(String address) {
        return new RemoteOptions(
                RemoteAddress.parse(address),
                RemoteSecurity.none(),
                Duration.ofSeconds(5),
                Time.system(),
                new SecureRandom());
    }

    public RemoteOptions withNamespace(String changed) {
        return new RemoteOptions(
                new RemoteAddress(address.servers(), changed, address.tls()),
                security,
                patience,
                time,
                random);
    }

    /** The same with a bearer token. It needs TLS, unless the servers are on this machine. */
    public RemoteOptions withToken(String token) {
        return with(new RemoteSecurity(
                security.trusted(),
                security.certificate(),
                Optional.of(token),
                security.insecure()));
    }

    /** The same, believing in certificates (PEM) of its own in place of the JVM's trust store. */
    public RemoteOptions trusting(Path certificates) {
        return with(new RemoteSecurity(
                Optional.of(certificates),
                security.certificate(),
                security.token(),
                security.insecure()));
    }

    /** The same with a certificate of the client; chain and key in PEM. */
    public RemoteOptions withCertificate(Path chain, Path key) {
        return with(new RemoteSecurity(
                security.trusted(),
                Optional.of(new RemoteSecurity.Certificate(chain, key)),
                security.token(),
                security.insecure()));
    }

    /** The same, but the token is sent even where others on the network could read it. */
    public RemoteOptions insecurely() {
        return with(new RemoteSecurity(
                security.trusted(), security.certificate(), security.token(), true));
    }

    public RemoteOptions withPatience(Duration changed) {
        return new RemoteOptions(address, security, changed, time, random);
    }

    /** The same with clocks, timers and jitter of a test. */
    public RemoteOptions within(Time changedTime, RandomGenerator changedRandom) {
        return new RemoteOptions(address, security, patience, changedTime, changedRandom);
    }

    private RemoteOptions with(RemoteSecurity changed) {
        return new RemoteOptions(address, changed, patience, time, random);
    }

    /** Refuses to send a secret where anyone could read it, and certificates without TLS. */
    void check() {
        boolean local = address.servers().stream().allMatch(RemoteAddress.Server::isLoopback);
        if (security.token().isPresent() && !address.tls() && !local && !security.insecure()) {
            throw new IllegalArgumentException("a token would be readable on the way to " + address
                    + ": use leaseholds://, or insecurely() if the network is yours alone");
        }
        boolean certificates =
                security.trusted().isPresent() || security.certificate().isPresent();
        if (certificates && !address.tls()) {
            throw new IllegalArgumentException(
                    "certificates are for TLS, and " + address + " has none: use leaseholds://");
        }
    }
}
