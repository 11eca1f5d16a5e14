// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reading where leases are kept. */
final class StoreAddressTest {

    @Test
    void everyEngineHasItsAddress() {
        assertThat(StoreAddress.parse("memory")).isEqualTo(new StoreAddress.Memory());
        assertThat(StoreAddress.parse("journal:a/b"))
                .isEqualTo(new StoreAddress.Journal(Path.of("a/b")));
        for (String uri : List.of(
                "redis://h", "rediss://h:1/2", "redis-sentinel://a,b#m", "redis-cluster://a,b")) {
            assertThat(StoreAddress.parse(uri)).isEqualTo(new StoreAddress.Redis(uri));
        }
        assertThat(StoreAddress.parse("quorum:redis://a,redis://b,redis://c"))
                .isEqualTo(new StoreAddress.Quorum(
                        List.of("redis://a", "redis://b", "redis://c"), false));
        assertThat(StoreAddress.parse("new-quorum:redis://a,redis://b,redis://c"))
                .isEqualTo(new StoreAddress.Quorum(
                        List.of("redis://a", "redis://b", "redis://c"), true))
                .hasToString("new-quorum:redis://a,redis://b,redis://c");
    }

    @Test
    void whatIsNoAddressIsToldWhatOneLooksLike() {
        refuse("", "journal:DIR");
        refuse("Memory", "a store is memory");
        refuse("etcd://x", "not \"etcd:…\"");
        refuse("journal:", "names no directory");
        refuse("journal: ", "names no directory");
        refuse("journal:a\0b", "journal:");
        refuse("redis://", "a store is");
        refuse("quorum:", "redis://HOST");
        refuse("quorum:redis://a,rediss://b,redis://c", "without TLS");
        refuse("quorum:redis://a,redis://b", "a quorum of 2 nodes");
        refuse("quorum:redis://a,redis://b,redis://c,redis://d", "odd number");
        refuse("quorum:redis://a,redis://b,redis://a", "named twice");
    }

    private static void refuse(String text, String why) {
        assertThatThrownBy(() -> StoreAddress.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void passwordsAreNeitherShownNorRepeated() {
        assertThat(StoreAddress.parse("redis://user:geheim@h:1")).hasToString("redis://…@h:1");
        assertThat(StoreAddress.parse("quorum:redis://:geheim@a,redis://b,redis://c"))
                .hasToString("quorum:redis://…@a,redis://b,redis://c");
        assertThatThrownBy(() -> StoreAddress.parse("quorum:redis://:geheim@a,redis://b"))
                .hasMessageNotContaining("geheim");
        assertThatThrownBy(() -> StoreAddress.parse("redis:user:geheim@h"))
                .hasMessageNotContaining("geheim");
    }
}
