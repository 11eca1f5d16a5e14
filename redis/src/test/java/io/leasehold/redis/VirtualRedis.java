// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.StoreUnderTest;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A store on a real server that goes by a clock of the test: the script is the real one but for the
 * one call that asks for the time. Time passes only while nothing is under way, so that everything
 * happens at an exact moment.
 */
final class VirtualRedis implements StoreUnderTest {

    private static final long ORIGIN_MICROS = 1_790_000_000_000_000L;

    private final RedisServer server;
    private final VirtualTime clock = VirtualTime.create();
    private final RedisOptions options;
    private final Script script;
    private final RedisLeaseStore store;
    // guards the count of calls and the server's clock
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int underWay;
    private long setTo = -1;
    private long behind; // by so many microseconds the server's clock was set back

    VirtualRedis(RedisServer server, RedisOptions options) {
        this(server, options, Script.load());
    }

    private VirtualRedis(RedisServer server, RedisOptions options, Script script) {
        this.server = server;
        this.options = options;
        this.script = onThisClock(script);
        this.store = new RedisLeaseStore(
                options,
                new Quiet(),
                listener -> new Counting(LettuceLink.connect(
                        RedisAddress.of(options.uri()), options.patience(), listener)));
    }

    /** The same with a script that hands over to three waiters in a call, and leaves the rest. */
    static VirtualRedis inManyCalls(RedisServer server, RedisOptions options) {
        String all = "local WORK, WAITER_WORK = 5000, 20";
        return new VirtualRedis(
                server, options, changed(Script.load(), all, all.replace("5000", "50")));
    }

    private static Script onThisClock(Script real) {
        return changed(real, "call('TIME')", "call('HMGET', key .. ':clock', 's', 'us')");
    }

    private static Script changed(Script real, String words, String others) {
        String text = new String(real.source(), UTF_8);
        String changed = text.replace(words, others);
        if (changed.equals(text)) {
            throw new AssertionError("the script does not say any more: " + words);
        }
        return Script.of(changed);
    }

    @Override
    public LeaseStore store() {
        return store;
    }

    RedisOptions options() {
        return options;
    }

    @Override
    public void pass(Duration span) {
        settle();
        clock.advance(span);
        settle();
    }

    /** Sets the server's clock back, and only that. */
    void setBack(Duration by) {
        settle();
        lock.lock();
        try {
            behind += by.toNanos() / 1000;
        } finally {
            lock.unlock();
        }
    }

    /** The server loses all that it has. */
    void flush() {
        settle();
        lock.lock();
        try {
            server.command("FLUSHALL");
            setTo = -1;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Time time() {
        return clock;
    }

    @Override
    public long nanos() {
        return clock.nanos();
    }

    /** Returns when no call is under way. */
    @Override
    public void settle() {
        lock.lock();
        try {
            while (underWay > 0) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        store.close();
    }

    private void count(int change) {
        lock.lock();
        try {
            underWay += change;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void setClock() {
        lock.lock();
        try {
            long now = ORIGIN_MICROS + clock.nanos() / 1000 - behind;
            if (now != setTo) {
                server.command(
                        "HSET",
                        "leasehold:{" + options.namespace() + "}:clock",
                        "s",
                        "0",
                        "us",
                        Long.toString(now));
                setTo = now;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Virtual time that does not go on before what a timer set off has come to an end. */
    private final class Quiet implements Time {

        @Override
        public long nanos() {
            return clock.nanos();
        }

        @Override
        public long wallMillis() {
            return clock.wallMillis();
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            return clock.schedule(delay, () -> {
                task.run();
                settle();
            });
        }
    }

    /** A link that counts the calls under way, and sets the server's clock before each. */
    private final class Counting implements Link {

        private final Link link;

        Counting(Link link) {
            this.link = link;
        }

        @Override
        public CompletionStage<List<Object>> run(Script real, byte[] key, byte[][] arguments) {
            count(1);
            setClock();
            CompletableFuture<List<Object>> answered = new CompletableFuture<>();
            link.run(script, key, arguments).whenComplete((answers, error) -> {
                if (error == null) {
                    answered.complete(answers);
                } else {
                    answered.completeExceptionally(error);
                }
                count(-1);
            });
            return answered;
        }

        @Override
        public CompletionStage<Long> awaitReplicas(int replicas, Duration patience) {
            return link.awaitReplicas(replicas, patience);
        }

        @Override
        public CompletionStage<Void> subscribe(String channel) {
            return link.subscribe(channel);
        }

        @Override
        public void unsubscribe(String channel) {
            link.unsubscribe(channel);
        }

        @Override
        public CompletionStage<String> info(String section) {
            return link.info(section);
        }

        @Override
        public CompletionStage<Map<String, String>> settings(String pattern) {
            return link.settings(pattern);
        }

        @Override
        public boolean isCluster() {
            return link.isCluster();
        }

        @Override
        public void lookForPrimary() {
            link.lookForPrimary();
        }

        @Override
        public void close() {
            link.close();
        }
    }
}
