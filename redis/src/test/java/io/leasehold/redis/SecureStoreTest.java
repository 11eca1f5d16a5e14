// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TlsCertificate;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Stores that are reached with TLS. */
@ResourceLock(Resources.SYSTEM_PROPERTIES)
final class SecureStoreTest {

    private static final String TRUST = "javax.net.ssl.trustStore";
    private static final String PASSWORD = "javax.net.ssl.trustStorePassword";

    private static TlsCertificate certificate;

    @BeforeAll
    static void make() {
        certificate = TlsCertificate.create();
    }

    @AfterAll
    static void delete() {
        certificate.close();
    }

    private static Stream<RedisBinary> programs() {
        return Stream.of(RedisBinary.bundled(), RedisBinary.older());
    }

    @ParameterizedTest
    @MethodSource("programs")
    void whoDoesNotCareWhomItTalksToConnects(RedisBinary program) {
        try (RedisServer redis = RedisServer.start(program, certificate)) {
            Workout.on(RedisOptions.at(redis.tlsUri() + "?verifyPeer=NONE"));
        }
    }

    @Test
    void aCertificateThatNobodyTrustsIsAClearError() {
        try (RedisServer redis = RedisServer.start(RedisBinary.bundled(), certificate)) {
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> RedisLeaseStore.connect(redis.tlsUri()))
                    .withMessageStartingWith("TLS with Redis fails: ");
        }
    }

    @Test
    void whoTrustsTheCertificateConnects(@TempDir Path directory) throws Exception {
        Path store = directory.resolve("trust.p12");
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (InputStream in = Files.newInputStream(certificate.certificate())) {
            trusted.setCertificateEntry(
                    "redis", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        try (OutputStream out = Files.newOutputStream(store)) {
            trusted.store(out, "changeit".toCharArray());
        }
        System.setProperty(TRUST, store.toString());
        System.setProperty(PASSWORD, "changeit");
        try (RedisServer redis =
                RedisServer.start(RedisBinary.bundled(), certificate, "requirepass s3cret")) {
            String uri = redis.tlsUri();
            Workout.on(RedisOptions.at(uri.replace("rediss://", "rediss://s3cret@")));
        } finally {
            System.clearProperty(TRUST);
            System.clearProperty(PASSWORD);
        }
    }

    @Test
    void aServerWithoutTlsIsAClearError() {
        try (RedisServer redis = RedisServer.start()) {
            String uri = redis.uri().replace("redis://", "rediss://");
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> RedisLeaseStore.connect(uri))
                    .withMessageContaining("Redis");
        }
    }

    @Test
    void aServerWithTlsThatIsAskedWithoutIsAClearError() {
        try (RedisServer redis = RedisServer.start(RedisBinary.bundled(), certificate)) {
            String uri = redis.tlsUri().replace("rediss://", "redis://");
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> RedisLeaseStore.connect(uri))
                    .withMessageStartingWith("Redis can't be reached");
        }
    }
}
