// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.ThreadLeakCheck;
import io.leasehold.testkit.TlsCertificate;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Servers that are reached with TLS. */
@Isolated("it counts threads")
@ExtendWith(ThreadLeakCheck.class)
final class RedisTlsTest {

    private static Stream<RedisBinary> programs() {
        return Stream.of(RedisBinary.bundled(), RedisBinary.older());
    }

    @ParameterizedTest
    @MethodSource("programs")
    void whoTrustsTheCertificateConnects(RedisBinary program) {
        try (TlsCertificate certificate = TlsCertificate.create();
                RedisServer redis = RedisServer.start(program, certificate)) {
            assertThat(ping(redis, trusting(certificate))).isEqualTo("PONG");
            redis.restart();
            assertThat(ping(redis, trusting(certificate))).isEqualTo("PONG");
        }
    }

    @Test
    void whoTrustsAnotherDoesNotConnect() {
        try (TlsCertificate certificate = TlsCertificate.create();
                TlsCertificate other = TlsCertificate.create();
                RedisServer redis = RedisServer.start(RedisBinary.bundled(), certificate)) {
            assertThatExceptionOfType(RedisConnectionException.class)
                    .isThrownBy(() -> ping(redis, trusting(other)))
                    .withStackTraceContaining("SSLHandshakeException");
        }
    }

    @Test
    void aServerMayAskClientsForTheirCertificate() {
        try (TlsCertificate certificate = TlsCertificate.create();
                RedisServer redis = RedisServer.start(
                        RedisBinary.bundled(), certificate, "tls-auth-clients yes")) {
            assertThatExceptionOfType(RedisConnectionException.class)
                    .isThrownBy(() -> ping(redis, trusting(certificate)));
            SslOptions own = SslOptions.builder()
                    .trustManager(certificate.certificate().toFile())
                    .keyManager(
                            certificate.certificate().toFile(),
                            certificate.key().toFile(),
                            null)
                    .build();
            assertThat(ping(redis, own)).isEqualTo("PONG");
        }
    }

    @Test
    void theKeyIsItsOwnersAloneAndGoesWithTheCertificate() throws Exception {
        TlsCertificate certificate = TlsCertificate.create();
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(certificate.key().getParent())))
                .isEqualTo("rwx------");
        certificate.close();
        certificate.close();
        assertThat(certificate.key().getParent()).doesNotExist();
    }

    @Test
    void aServerWithoutACertificateHasNoSuchAddress() {
        try (RedisServer redis = RedisServer.start()) {
            assertThatIllegalStateException().isThrownBy(redis::tlsUri);
        }
    }

    private static SslOptions trusting(TlsCertificate certificate) {
        return SslOptions.builder()
                .trustManager(certificate.certificate().toFile())
                .build();
    }

    private static String ping(RedisServer redis, SslOptions options) {
        RedisClient client = RedisClient.create(redis.tlsUri());
        try {
            client.setOptions(ClientOptions.builder().sslOptions(options).build());
            try (StatefulRedisConnection<String, String> connection = client.connect()) {
                return connection.sync().ping();
            }
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(5));
        }
    }
}
