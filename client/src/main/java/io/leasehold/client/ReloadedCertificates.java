// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;

import java.util.concurrent.atomic.AtomicBoolean;

import javax.net.ssl.SSLException;

/**
 * The certificates and the key that the options name, as they were when they could be read last.
 * Thread-safe.
 */
final class ReloadedCertificates {

    private static final System.Logger LOG = System.getLogger(RemoteLeaseStore.class.getName());

    private final RemoteSecurity security;
    private final AtomicBoolean failing = new AtomicBoolean();
    private volatile SslContext lastGood;

    /**
     * Reads the files.
     *
     * @throws IllegalArgumentException if they can't be read
     */
    ReloadedCertificates(RemoteSecurity security) {
        this.security = security;
        this.lastGood = read(security);
    }

    SslContext lastGood() {
        return lastGood;
    }

    /** Reads the files again. If that fails, the last good ones stay, and the log says so once. */
    void readAgain() {
        try {
            lastGood = read(security);
            failing.set(false);
        } catch (IllegalArgumentException e) {
            if (failing.compareAndSet(false, true)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        e.getMessage() + "; the last good ones are used until they can");
            }
        }
    }

    private static SslContext read(RemoteSecurity security) {
        try {
            SslContextBuilder builder = GrpcSslContexts.forClient();
            security.trusted().ifPresent(file -> builder.trustManager(file.toFile()));
            security.certificate()
                    .ifPresent(shown -> builder.keyManager(
                            shown.chain().toFile(), shown.key().toFile()));
            return builder.build();
        } catch (SSLException | RuntimeException e) {
            throw new IllegalArgumentException(
                    "the certificates can't be used: " + e.getMessage(), e);
        }
    }
}
