// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TcpProxy;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that is there later than the quorum, on a machine that has no thread to look for it. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class NodeConnectsAgainTest {

    private final AtomicInteger threads = new AtomicInteger();

    /** The first thread can't be started. */
    private final ThreadFactory noneAtFirst = task -> threads.incrementAndGet() > 1
            ? ThrottledTask.daemons("test-node").newThread(task)
            : new Thread(task) {
                @Override
                public synchronized void start() {
                    throw new OutOfMemoryError("unable to create native thread");
                }
            };

    @Test
    void aNodeIsLookedForAgainThoughNoThreadCouldBeHadForIt() {
        try (RedisServer server = RedisServer.start();
                TcpProxy way = TcpProxy.to(server.port())) {
            way.refuse();
            way.cut();
            try (RedisQuorumNode node = RedisQuorumNode.at(
                    RedisOptions.at("redis://127.0.0.1:" + way.port()), noneAtFirst)) {
                RealTime.until("no thread could be had", () -> {
                    assertThatExceptionOfType(StoreUnavailableException.class)
                            .isThrownBy(() -> Ask.answer(node.standing()));
                    return threads.get() == 1;
                });
                way.heal();

                RealTime.eventually(() -> Ask.answer(node.standing()));
            }
        }
        assertThat(threads.get()).isGreaterThan(1);
    }
}
