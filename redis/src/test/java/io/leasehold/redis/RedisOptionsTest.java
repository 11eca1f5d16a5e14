// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.leasehold.table.TableOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslVerifyMode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Options are checked where they are made, and tell no secrets. */
final class RedisOptionsTest {

    private static final RedisOptions OPTIONS = RedisOptions.at("redis://user:s3cret@host:6380/3");

    @Test
    void eachOptionIsVariedByItself() {
        TableOptions bounds = new TableOptions(1, 2, Duration.ZERO, 3);
        RedisOptions varied = OPTIONS.withNamespace("orders/eu-1_a.b")
                .withBounds(bounds)
                .withReplicas(2)
                .withPatience(Duration.ofSeconds(1))
                .strictly();
        assertThat(varied)
                .isEqualTo(new RedisOptions(
                        OPTIONS.uri(), "orders/eu-1_a.b", bounds, 2, Duration.ofSeconds(1), true));
        assertThat(OPTIONS.namespace()).isEqualTo("default");
        assertThat(OPTIONS.strict()).isFalse();
        assertThat(OPTIONS.bounds()).isEqualTo(TableOptions.defaults());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a}", "{a", "a:b", "größe", "a\n", "a\0", "*"})
    void aNamespaceIsOfPlainCharacters(String namespace) {
        assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withNamespace(namespace));
    }

    @Test
    void aNamespaceHas128CharactersAtMost() {
        assertThat(OPTIONS.withNamespace("n".repeat(128)).namespace()).hasSize(128);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.withNamespace("n".repeat(129)));
    }

    @Test
    void replicasAndPatienceHaveBounds() {
        assertThat(OPTIONS.withReplicas(100).replicas()).isEqualTo(100);
        assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withReplicas(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> OPTIONS.withReplicas(101));
        assertThat(OPTIONS.withPatience(Duration.ofMillis(10)).patience()).hasMillis(10);
        assertThat(OPTIONS.withPatience(Duration.ofMinutes(1)).patience()).hasMinutes(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.withPatience(Duration.ofNanos(9_999_999)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OPTIONS.withPatience(Duration.ofNanos(60_000_000_001L)));
    }

    @Test
    void thePasswordIsNotInTheText() {
        assertThat(OPTIONS.toString()).contains("default").doesNotContain("s3cret", "user", "host");
    }

    @Test
    void aClusterCantBeAskedToWaitForReplicas() {
        RedisOptions options = RedisOptions.at("redis-cluster://host").withReplicas(1);
        assertThatIllegalArgumentException().isThrownBy(() -> RedisLeaseStore.connect(options));
    }

    // ---- addresses

    @Test
    void allPartsOfAnAddressAreRead() {
        RedisAddress address = RedisAddress.of("rediss://user:s3cr%40t@host:6380/3?verifyPeer=CA");
        RedisURI uri = address.uris().get(0);
        assertThat(address.cluster()).isFalse();
        assertThat(uri.getHost()).isEqualTo("host");
        assertThat(uri.getPort()).isEqualTo(6380);
        assertThat(uri.getDatabase()).isEqualTo(3);
        assertThat(uri.isSsl()).isTrue();
        assertThat(uri.getVerifyMode()).isEqualTo(SslVerifyMode.CA);
        assertThat(RedisAddress.of("redis://[::1]").uris().get(0).getHost()).isEqualTo("[::1]");
    }

    @Test
    void sentinelsHaveOneAddress() {
        RedisAddress address = RedisAddress.of("redis-sentinel://s3cret@one:1,two/2#primary");
        RedisURI uri = address.uris().get(0);
        assertThat(address.uris()).hasSize(1);
        assertThat(uri.getSentinels()).extracting(RedisURI::getHost).containsExactly("one", "two");
        assertThat(uri.getSentinelMasterId()).isEqualTo("primary");
        assertThat(uri.getDatabase()).isEqualTo(2);
    }

    @Test
    void whatABlanketAddressSaysHoldsForAllNodesOfACluster() {
        RedisAddress address =
                RedisAddress.of("rediss-cluster://user:s3cret@one:1,two:2,three?verifyPeer=NONE");
        assertThat(address.cluster()).isTrue();
        assertThat(address.uris())
                .extracting(RedisURI::getHost)
                .containsExactly("one", "two", "three");
        assertThat(address.uris()).extracting(RedisURI::getPort).containsExactly(1, 2, 6379);
        assertThat(address.uris()).allSatisfy(uri -> {
            assertThat(uri.isSsl()).isTrue();
            assertThat(uri.getVerifyMode()).isEqualTo(SslVerifyMode.NONE);
            assertThat(uri.getCredentialsProvider().resolveCredentials().block())
                    .satisfies(credentials -> {
                        assertThat(credentials.getUsername()).isEqualTo("user");
                        assertThat(credentials.getPassword())
                                .containsExactly("s3cret".toCharArray());
                    });
        });
        assertThat(RedisAddress.of("redis-cluster://one/").uris()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "s3cret",
                "host:6379",
                "http://user:s3cret@host",
                "redis:s3cret",
                "redis://",
                "redis://user:s3cret@",
                "redis://user:s3cret@host:port",
                "redis://user:s3cret@host:99999",
                "redis://user:s3cret@ho st",
                "redis://user:s3%zzcret@host",
                "redis-sentinel://user:s3cret@host",
                "redis-sentinel://",
                "redis-cluster://",
                "redis-cluster://user:s3cret@",
                "redis-cluster://user:s3cret@one,,two",
                "redis-cluster://user:s3cret@one,two/3",
                "rediss-cluster:///s3cret"
            })
    void anErrorOfAnAddressDoesNotRepeatIt(String uri) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisLeaseStore.connect(uri))
                .withMessageContaining("redis-cluster://")
                .withMessageNotContaining("s3cret")
                .withNoCause();
    }
}
