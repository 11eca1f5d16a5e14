// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TcpProxy;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The server did what it was asked, and its answer did not arrive. */
@Execution(ExecutionMode.CONCURRENT)
final class LostReplyTest {

    private static final Duration LONG = Duration.ofMinutes(10);

    @Test
    void aGrantToAWaiterThatWasInALostReplyIsFoundSoon() {
        try (RealRedis redis = new RealRedis(RedisServer.start());
                TcpProxy network = TcpProxy.to(redis.server().port())) {
            RedisOptions options =
                    RedisOptions.at(uri(network)).withPatience(Duration.ofSeconds(3));
            try (RedisLeaseStore store = RedisLeaseStore.connect(options)) {
                Grant first = Leases.grant(store, "name", LONG);
                CompletionStage<Acquisition> waiting =
                        store.acquire(Leases.request("name", LONG).waitingAtMost(LONG));
                Leases.list(store);
                network.loseReplies();
                assertThatExceptionOfType(OutcomeUnknownException.class)
                        .isThrownBy(() -> RealTime.answer(store.release(first)));
                network.heal();
                Grant second = Leases.granted(waiting);
                assertThat(second.token()).isGreaterThan(first.token());
                assertThat(RealTime.answer(store.release(first))).isInstanceOf(Ending.Ended.class);
            }
        }
    }

    private static String uri(TcpProxy network) {
        return "redis://127.0.0.1:" + network.port();
    }
}
