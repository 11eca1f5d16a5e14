// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.testkit.TlsCertificate;
import io.leasehold.testkit.VirtualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SecurityTest {

    private static final Optional<Path> TOKENS = Optional.of(Path.of("tokens"));
    private static final Optional<Security.Tls> TLS = Optional.of(
            new Security.Tls(Path.of("cert.pem"), Path.of("key.pem"), Optional.empty()));

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private static Security security(
            Optional<Path> tokens, Optional<Security.Tls> tls, boolean insecure) {
        return new Security(tokens, tls, Optional.empty(), insecure);
    }

    @Test
    void thisMachineAloneNeedsNothing() throws IOException {
        for (String host : List.of("127.0.0.1", "127.9.9.9", "::1")) {
            assertThatCode(() -> Security.open().check(InetAddress.getByName(host)))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void otherMachinesNeedTlsAndTokensOrTheWordThatItIsMeant() throws IOException {
        for (String host : List.of("0.0.0.0", "::", "192.0.2.7", "10.0.0.1", "2001:db8::1")) {
            InetAddress bind = InetAddress.getByName(host);
            assertThatThrownBy(() ->
                            security(Optional.empty(), Optional.empty(), false).check(bind))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("neither TLS nor a token file")
                    .hasMessageContaining("--tls-cert FILE, --tls-key FILE and --tokens FILE")
                    .hasMessageContaining("--insecure");
            assertThatThrownBy(() -> security(TOKENS, Optional.empty(), false).check(bind))
                    .hasMessageContaining("tokens could be read on the way");
            assertThatThrownBy(() -> security(Optional.empty(), TLS, false).check(bind))
                    .hasMessageContaining("add --tokens FILE");
            assertThatCode(() -> security(TOKENS, TLS, false).check(bind))
                    .doesNotThrowAnyException();
            assertThatCode(() ->
                            security(Optional.empty(), Optional.empty(), true).check(bind))
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void aClientAuthorityWithoutRulesIsRefused() {
        Security.Tls mutual = new Security.Tls(
                Path.of("cert.pem"), Path.of("key.pem"), Optional.of(Path.of("ca.pem")));
        assertThatThrownBy(() -> security(Optional.empty(), Optional.of(mutual), false)
                        .check(InetAddress.getLoopbackAddress()))
                .hasMessageContaining("of no use without a token file");
    }

    @Test
    void certificatesThatCannotBeUsedAreToldApart() throws IOException {
        VirtualTime time = VirtualTime.create();
        Path none = directory.resolve("none.pem");
        Path text = Files.writeString(directory.resolve("text.pem"), "no certificate");
        try (TlsCertificate one = TlsCertificate.create();
                TlsCertificate other = TlsCertificate.create()) {
            assertThatThrownBy(() -> new TlsFiles(none, one.key(), Optional.empty(), time))
                    .hasMessageContaining("certificate file " + none + ": there is none");
            assertThatThrownBy(() -> new TlsFiles(one.certificate(), none, Optional.empty(), time))
                    .hasMessageContaining("key file " + none);
            assertThatThrownBy(() -> new TlsFiles(text, one.key(), Optional.empty(), time))
                    .hasMessageContaining("cannot use the certificate");
            assertThatThrownBy(() ->
                            new TlsFiles(one.certificate(), other.key(), Optional.empty(), time))
                    .hasMessageContaining("is not that of the certificate");
            assertThatThrownBy(() ->
                            new TlsFiles(one.certificate(), one.key(), Optional.of(text), time))
                    .hasMessageContaining("client CA");
        }
    }

    @Test
    void aNewCertificateIsTakenUpAndHalfOfOneIsNot() throws IOException {
        VirtualTime time = VirtualTime.create();
        try (TlsCertificate one = TlsCertificate.create();
                TlsCertificate other = TlsCertificate.create()) {
            Path certificate = Files.copy(one.certificate(), directory.resolve("cert.pem"));
            Path key = Files.copy(one.key(), directory.resolve("key.pem"));
            TlsFiles files = new TlsFiles(certificate, key, Optional.empty(), time);
            var before = files.keyPair("localhost");

            Files.writeString(certificate, Files.readString(other.certificate()));
            time.advance(Duration.ofSeconds(10));
            assertThat(files.keyPair("localhost")).isEqualTo(before);

            Files.writeString(key, Files.readString(other.key()));
            time.advance(Duration.ofSeconds(10));
            assertThat(files.keyPair("localhost")).isNotEqualTo(before);
        }
    }
}
