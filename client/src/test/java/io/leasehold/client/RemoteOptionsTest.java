// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.LeaseholdException;
import io.leasehold.testkit.TlsCertificate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Addresses, and how a client and a server come to believe each other. */
final class RemoteOptionsTest {

    @Test
    void anAddressNamesServersAndANamespace() {
        RemoteAddress address =
                RemoteAddress.parse("leaseholds://a.example:1,10.0.0.1,[::1]:7/x-1");
        assertThat(address.servers())
                .isEqualTo(List.of(
                        new RemoteAddress.Server("a.example", 1),
                        new RemoteAddress.Server("10.0.0.1", RemoteAddress.DEFAULT_PORT),
                        new RemoteAddress.Server("[::1]", 7)));
        assertThat(address.namespace()).isEqualTo("x-1");
        assertThat(address.tls()).isTrue();
        assertThat(RemoteAddress.parse(address.toString())).isEqualTo(address);
    }

    @Test
    void theNamespaceIsTheDefaultOneUnlessSaid() {
        assertThat(RemoteAddress.parse("leasehold://host").namespace()).isEqualTo("default");
        assertThat(RemoteAddress.parse("leasehold://host/").namespace()).isEqualTo("default");
        assertThat(RemoteOptions.at("leasehold://host/a")
                        .withNamespace("b")
                        .address()
                        .namespace())
                .isEqualTo("b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "host:1",
                "http://host",
                "leasehold://",
                "leasehold://host:0",
                "leasehold://host:65536",
                "leasehold://host:x",
                "leasehold://user@host",
                "leasehold://host,",
                "leasehold://host/Upper",
                "leasehold://host/a/b",
                "leasehold://host/a~guards"
            })
    void whatIsNoAddressIsRefused(String text) {
        assertThatThrownBy(() -> RemoteAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void patienceHasBounds() {
        RemoteOptions options = RemoteOptions.at("leasehold://host");
        assertThatThrownBy(() -> options.withPatience(Duration.ofMillis(9)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withPatience(Duration.ofMinutes(2)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTokenIsNotSentWhereOthersCanReadIt() {
        RemoteOptions options = RemoteOptions.at("leasehold://host.example").withToken("secret");
        assertThatThrownBy(() -> RemoteLeaseStore.connect(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("leaseholds://");
        assertThat(options.toString()).doesNotContain("secret");
        assertThatThrownBy(() -> options.withToken("two\nlines"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("lines");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.attacker.example",
                "127.0.0.1.attacker.example",
                "127.0.0.256",
                "127.0.0.1,127.attacker.example"
            })
    void aNameThatLooksLikeTheAddressOfThisMachineIsNotThisMachine(String hosts) {
        RemoteOptions options = RemoteOptions.at("leasehold://" + hosts).withToken("secret");
        assertThatThrownBy(options::check)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("leaseholds://");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.9.9.9:1", "[::1]", "localhost:5327"})
    void aTokenMayBeShownToThisMachine(String host) {
        assertThatCode(RemoteOptions.at("leasehold://" + host).withToken("secret")::check)
                .doesNotThrowAnyException();
    }

    @Test
    void certificatesWithoutTlsAreAMistake() {
        RemoteOptions options =
                RemoteOptions.at("leasehold://127.0.0.1").trusting(Path.of("nowhere.pem"));
        assertThatThrownBy(() -> RemoteLeaseStore.connect(options))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void certificatesThatCantBeReadAreAMistake() {
        RemoteOptions options =
                RemoteOptions.at("leaseholds://127.0.0.1").trusting(Path.of("nowhere.pem"));
        assertThatThrownBy(() -> RemoteLeaseStore.connect(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nowhere.pem");
    }

    @Test
    void theTokenIsShownWithEveryCall() {
        try (MemoryLeaseStore behind = MemoryLeaseStore.create();
                SessionServer server = SessionServer.on(behind);
                RemoteLeaseStore store = RemoteLeaseStore.connect(
                        RemoteOptions.at(server.address()).withToken("open-sesame"))) {
            Asking.granted(store, "a");
            assertThat(server.shown).hasSize(2).containsOnly("Bearer open-sesame");
        }
    }

    @Test
    void aServerIsBelievedOnlyWithACertificateThatIsTrusted() {
        try (TlsCertificate certificate = TlsCertificate.create();
                TlsCertificate foreign = TlsCertificate.create();
                MemoryLeaseStore behind = MemoryLeaseStore.create();
                SessionServer server = SessionServer.secured(behind, certificate)) {
            RemoteOptions options = RemoteOptions.at("leaseholds://localhost:" + server.port());
            try (RemoteLeaseStore store =
                    RemoteLeaseStore.connect(options.trusting(certificate.certificate()))) {
                assertThat(Asking.granted(store, "a")).isNotNull();
            }
            assertThatThrownBy(
                            () -> RemoteLeaseStore.connect(options.trusting(foreign.certificate())))
                    .isInstanceOf(LeaseholdException.class);
            assertThatThrownBy(() -> RemoteLeaseStore.connect(options))
                    .as("the JVM's trust store does not know it")
                    .isInstanceOf(LeaseholdException.class);
            assertThatThrownBy(() -> RemoteLeaseStore.connect(server.address()))
                    .as("in clear text")
                    .isInstanceOf(LeaseholdException.class);
        }
    }
}
