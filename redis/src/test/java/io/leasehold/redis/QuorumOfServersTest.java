// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.quorum.QuorumLeaseStore;
import io.leasehold.quorum.QuorumOptions;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.NodeRecord;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Time;
import io.leasehold.spi.Validity;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Five servers of which some are killed, cut off or flushed. */
@Isolated("it kills servers under load, and what it waits for must come")
final class QuorumOfServersTest {

    private static final int ROUNDS = TestLength.of(3, 50);
    private static final int WORKERS = 6;
    private static final Duration TTL = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofMillis(500);

    private static QuorumOptions options(String name) {
        return QuorumOptions.defaults().withName(name).withLongestTtl(TTL).withPatience(PATIENCE);
    }

    /** How long a holder relied upon its lease: until it left, or until it could no more. */
    private static final class Stay {
        private final long until;
        private volatile boolean left;

        Stay(long until) {
            this.until = until;
        }
    }

    /** Workers that take turns at a few names, and what they saw. */
    private static final class Load implements AutoCloseable {
        private final ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
        private final AtomicBoolean over = new AtomicBoolean();
        private final AtomicInteger grants = new AtomicInteger();
        private final Map<Integer, Stay> stays = new ConcurrentHashMap<>();
        // by token: nothing is ever granted twice
        private final ConcurrentSkipListMap<FencingToken, String> tokens =
                new ConcurrentSkipListMap<>();
        // the highest that was granted before the request was sent
        private final AtomicLong highest = new AtomicLong();
        private final List<Future<?>> done = new ArrayList<>();

        Load(List<QuorumLeaseStore> stores) {
            for (int i = 0; i < WORKERS; i++) {
                LeaseStore store = stores.get(i % stores.size());
                int name = i % 2;
                done.add(threads.submit(() -> work(store, name)));
            }
        }

        private void work(LeaseStore store, int name) {
            while (!over.get()) {
                try {
                    turn(store, name);
                } catch (LeaseholdException e) {
                    // a majority may be down for a moment, or an answer lost
                    RealTime.pass(Duration.ofMillis(20));
                }
            }
        }

        private void turn(LeaseStore store, int name) {
            long before = highest.get();
            long sent = Time.system().nanos();
            Acquisition answer = RealTime.answer(store.acquire(
                    Leases.request("name-" + name, TTL).waitingAtMost(Duration.ofSeconds(2))));
            if (!(answer instanceof Acquisition.Granted granted)) {
                return;
            }
            Grant grant = granted.grant();
            long token = grant.token().value();
            assertThat(token).as("later grants have higher tokens").isGreaterThan(before);
            assertThat(tokens.put(grant.token(), "name-" + name))
                    .as("a token twice")
                    .isNull();
            highest.accumulateAndGet(token, Math::max);
            Validity validity = granted.validity();
            long trusted = validity.inStore().plus(validity.remaining()).toNanos() * 9 / 10;
            Stay stay = new Stay(sent + trusted);
            Stay last = stays.put(name, stay);
            if (last != null && !last.left) {
                assertThat(Time.system().nanos() - last.until)
                        .as("how long the holder before had been late")
                        .isNotNegative();
            }
            RealTime.pass(Duration.ofMillis(2));
            stay.left = true;
            grants.incrementAndGet();
            RealTime.answer(store.release(grant));
        }

        /** Waits until it has gone on for a while. */
        void goesOn(int more) {
            int goal = grants.get() + more;
            RealTime.until("grants go on", () -> grants.get() >= goal || isBroken());
        }

        private boolean isBroken() {
            return done.stream().anyMatch(Future::isDone);
        }

        @Override
        public void close() throws Exception {
            over.set(true);
            for (Future<?> worker : done) {
                worker.get(30, TimeUnit.SECONDS);
            }
            threads.shutdownNow();
        }
    }

    @Test
    void anyTwoMayBeKilledAgainAndAgain() throws Exception {
        String name = FiveRedis.name();
        SplittableRandom random = new SplittableRandom(7);
        try (FiveRedis servers = new FiveRedis();
                QuorumLeaseStore one = servers.connect(options(name).asNew());
                QuorumLeaseStore two = servers.connect(options(name))) {
            admitted(one);
            admitted(two);
            try (Load load = new Load(List.of(one, two))) {
                for (int round = 0; round < ROUNDS; round++) {
                    int first = random.nextInt(FiveRedis.SIZE);
                    int second = (first + 1 + random.nextInt(FiveRedis.SIZE - 1)) % FiveRedis.SIZE;
                    servers.server(first).kill();
                    servers.server(second).kill();
                    load.goesOn(20);
                    servers.server(first).restart();
                    servers.server(second).restart();
                    // they have forgotten, and are let in when what they knew is over
                    admitted(one);
                    admitted(two);
                    load.goesOn(5);
                }
            }
        }
    }

    @Test
    void withoutAMajorityItRefusesInTimeAndRecovers() {
        String name = FiveRedis.name();
        try (FiveRedis servers = new FiveRedis("appendonly yes", "appendfsync always");
                QuorumLeaseStore store = servers.connect(options(name).asNew())) {
            admitted(store);
            Grant before = Leases.grant(store, "name", TTL);
            for (int i = 0; i < 3; i++) {
                servers.server(i).kill();
            }
            long since = Time.system().nanos();
            assertThatExceptionOfType(LeaseholdException.class)
                    .isThrownBy(() -> Leases.grant(store, "other", TTL));
            assertThat(Duration.ofNanos(Time.system().nanos() - since))
                    .isLessThan(PATIENCE.multipliedBy(20));
            for (int i = 0; i < 3; i++) {
                servers.server(i).restart();
            }
            admitted(store);
            assertThat(Leases.grant(store, "name", TTL).token()).isGreaterThan(before.token());
        }
    }

    @Test
    void nodesThatForgotLetNoThirdPartyIn() {
        String name = FiveRedis.name();
        Duration longest = Duration.ofSeconds(20);
        QuorumOptions options = options(name).withLongestTtl(longest);
        try (FiveRedis servers = new FiveRedis();
                QuorumLeaseStore holder = servers.connect(options.asNew());
                QuorumLeaseStore other = servers.connect(options)) {
            admitted(holder);
            admitted(other);
            Grant held = Leases.grant(holder, "name", longest);
            // three of five lose all: with the two that never knew, they would be a majority
            servers.server(0).command("FLUSHALL");
            servers.server(1).kill();
            servers.server(1).restart();
            for (int i = 0; i < 20; i++) {
                assertThat(granted(other)).isFalse();
            }
            RealTime.until(
                    "it is seen that two forgot",
                    () -> !granted(other)
                            && other.guarantees().caveats().stream()
                                            .filter(caveat -> caveat.contains("KEPT_OUT"))
                                            .count()
                                    == 2);
            assertThat(RealTime.answer(holder.release(held))).isInstanceOf(Ending.Ended.class);
            RealTime.until("the three that remember grant", () -> granted(other));
        }
    }

    @Test
    void aNodeThatIsDownAtFirstJoinsLater() {
        String name = FiveRedis.name();
        try (FiveRedis servers = new FiveRedis()) {
            try (QuorumLeaseStore store = servers.connect(options(name).asNew())) {
                admitted(store);
            }
            servers.server(4).kill();
            try (QuorumLeaseStore store = servers.connect(options(name))) {
                RealTime.until("four are enough", () -> granted(store));
                assertThat(store.guarantees().caveats())
                        .anyMatch(caveat -> caveat.startsWith("node 4 is UNREACHABLE"));
                servers.server(4).restart();
                admitted(store);
            }
        }
    }

    @Test
    void recordsOutliveTheServersThatHadThem() {
        String name = FiveRedis.name();
        Claim claim = new Claim(
                List.of(Scope.name("report"), Scope.path("/reports/june")), Mode.EXCLUSIVE);
        Duration aDay = Duration.ofDays(1);
        try (FiveRedis servers = new FiveRedis();
                QuorumLeaseStore store = servers.connect(options(name).asNew())) {
            admitted(store);
            for (int i = 0; i < 100; i++) {
                Grant grant = Leases.grant(store, "name-" + i, TTL);
                RealTime.answer(store.complete(grant, LeaseRecord.of("done"), aDay));
            }
            Grant grant = Leases.granted(store.acquire(
                    LeaseRequest.of(Leases.id(), claim, new Holder("somebody"), TTL)));
            RealTime.answer(store.complete(grant, LeaseRecord.of("june"), aDay));
            // after three of five, a majority has none of what it had
            for (int i = 0; i < 3; i++) {
                servers.server(i).kill();
                servers.server(i).restart();
                admitted(store);
            }
            for (int i = 0; i < 100; i++) {
                assertThat(read(store, Scope.name("name-" + i))).isEqualTo("done");
            }
            for (Scope scope : claim.scopes()) {
                assertThat(read(store, scope)).isEqualTo("june");
            }
            assertThat(Leases.list(store))
                    .anySatisfy(row -> assertThat(row.holding()).isEqualTo(grant.holding()));
        }
    }

    private static String read(LeaseStore store, Scope scope) {
        LeaseRequest request =
                LeaseRequest.of(Leases.id(), Claim.exclusive(scope), new Holder("somebody"), TTL);
        Acquisition answer = RealTime.answer(store.acquire(request.unlessCompleted()));
        return answer instanceof Acquisition.Completed completed
                ? completed.record().text()
                : answer.toString();
    }

    @Test
    void aServerTakesTheRecordOfAnotherUnlessItHasOneAsNew() {
        String name = FiveRedis.name();
        try (FiveRedis servers = new FiveRedis();
                QuorumLeaseStore store = servers.connect(options(name).asNew());
                RedisQuorumNode node = RedisQuorumNode.at(
                        RedisOptions.at(servers.server(0).uri()).withNamespace(name))) {
            admitted(store);
            Grant grant = Leases.grant(store, "a", TTL);
            RealTime.answer(store.complete(grant, LeaseRecord.of("done"), TTL.multipliedBy(60)));
            // the node may be the last to hear of it
            RealTime.until("the node has it", () -> record(node).isPresent());
            NodeRecord there = record(node).orElseThrow();
            assertThat(there.holding()).isEqualTo(grant.holding());
            NodeRecord older = with(there, grant.token().value() - 1, "older");
            NodeRecord same = with(there, grant.token().value(), "same");
            RealTime.answer(node.keep(List.of(older, same)));
            assertThat(record(node)).map(NodeRecord::record).contains(LeaseRecord.of("done"));
            NodeRecord newer = with(there, grant.token().value() + 1_000_000, "newer");
            RealTime.answer(node.keep(List.of(newer)));
            assertThat(RealTime.answer(node.records(NodeRecord.Page.FIRST)).records())
                    .singleElement()
                    .satisfies(found -> {
                        assertThat(found.record()).isEqualTo(LeaseRecord.of("newer"));
                        assertThat(found.keptFor()).isLessThanOrEqualTo(there.keptFor());
                    });
            assertThat(RealTime.answer(node.standing()).counter())
                    .isGreaterThanOrEqualTo(newer.holding().token().value());
        }
    }

    private static Optional<NodeRecord> record(QuorumNode node) {
        return RealTime.answer(node.record(Scope.name("a")));
    }

    private static NodeRecord with(NodeRecord record, long token, String text) {
        Holding holding = record.holding();
        return new NodeRecord(
                record.scope(),
                new Holding(holding.claim(), holding.holder(), new FencingToken(token)),
                LeaseRecord.of(text),
                record.age(),
                record.keptFor());
    }

    @Test
    void aNamespaceOfAQuorumIsNoneForASingleStore() {
        String name = FiveRedis.name();
        try (FiveRedis servers = new FiveRedis();
                QuorumLeaseStore store = servers.connect(options(name).asNew())) {
            admitted(store);
            RedisServer server = servers.server(0);
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> RedisLeaseStore.connect(
                                    RedisOptions.at(server.uri()).withNamespace(name))
                            .close())
                    .withMessageStartingWith("FOREIGN: ");
        }
    }

    private static boolean granted(LeaseStore store) {
        try {
            Acquisition answer = RealTime.answer(store.acquire(Leases.request("name", TTL)));
            if (answer instanceof Acquisition.Granted granted) {
                RealTime.answer(store.release(granted.grant()));
                return true;
            }
        } catch (LeaseholdException e) {
            // no majority
        }
        return false;
    }

    /** Waits until all nodes take part; operations look after those that don't. */
    private static void admitted(QuorumLeaseStore store) {
        RealTime.until("all five are admitted", () -> {
            boolean unused = granted(store);
            return store.guarantees().caveats().stream()
                    .noneMatch(caveat -> caveat.matches("node \\d is .*"));
        });
    }
}
