// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ServerAddressTest {

    @Test
    void aSlashAtTheEndIsDropped() {
        assertThat(ServerAddress.parse("http://a:1/", "", Optional.empty()))
                .hasToString("http://a:1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost:5327",
                "ftp://a",
                "http://",
                "http://a b",
                "http://u:p@a",
                "http://a?x=1",
                "http://a#b"
            })
    void whatIsNoAddressIsRefused(String text) {
        assertThatThrownBy(() -> ServerAddress.parse(text, "", Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void certificatesNeedHttps() {
        Optional<Path> file = Optional.of(Path.of("ca.pem"));
        assertThatThrownBy(() -> ServerAddress.parse("http://a", "", file))
                .hasMessageContaining("https");
        assertThat(ServerAddress.parse("https://a", "", file).authorities()).isEqualTo(file);
    }

    @Test
    void aTokenIsInTheClearOnlyByHttpToAnotherHost() {
        assertThat(isInTheClear("http://example.org", "t")).isTrue();
        assertThat(isInTheClear("http://127.evil.example", "t")).isTrue();
        assertThat(isInTheClear("http://example.org", "")).isFalse();
        assertThat(isInTheClear("https://example.org", "t")).isFalse();
        assertThat(isInTheClear("http://127.0.0.1:5327", "t")).isFalse();
        assertThat(isInTheClear("http://LOCALHOST", "t")).isFalse();
        assertThat(isInTheClear("http://[::1]:5327", "t")).isFalse();
    }

    private static boolean isInTheClear(String url, String token) {
        return ServerAddress.parse(url, token, Optional.empty()).isInTheClear();
    }
}
