// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Environment;
import io.leasehold.Idempotency;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Completed;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Refused;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of records when nodes forget. */
final class QuorumRecordsTest {

    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration A_DAY = Duration.ofDays(1);
    private static final QuorumOptions OPTIONS = QuorumOptions.defaults().withLongestTtl(TTL);

    private final VirtualTime time = VirtualTime.create();
    private final List<MemoryQuorumNode> nodes = new ArrayList<>();
    private long ids;
    private QuorumLeaseStore store;

    @BeforeEach
    void found() {
        for (int i = 0; i < 3; i++) {
            nodes.add(node());
        }
        store = open(OPTIONS.asNew(), ways());
        assertThat(store.guarantees().caveats()).isEmpty();
    }

    @Test
    void anIdempotentCallRunsOnceAlthoughEveryNodeIsRestartedInTurn() {
        Environment environment = new Environment(time, Runnable::run, new SplittableRandom(1));
        LeaseholdOptions options =
                LeaseholdOptions.defaults().withEnvironment(environment).withStoreLeftOpen();
        AtomicInteger runs = new AtomicInteger();
        try (Leasehold leasehold = Leasehold.on(store, options)) {
            Idempotency<String> payments =
                    leasehold.idempotency("payments", Codec.strings(), A_DAY);
            for (int i = 0; i < 4; i++) {
                String receipt = payments.once("42", Digest.of("10 EUR"), token -> {
                            runs.incrementAndGet();
                            return "paid";
                        })
                        .value();
                assertThat(receipt).isEqualTo("paid");
                if (i < 3) {
                    restart(i);
                }
            }
        }
        assertThat(runs).hasValue(1);
    }

    @Test
    void allRecordsOutliveTheNodesThatHadThem() {
        for (int i = 0; i < 100; i++) {
            complete("record-" + i);
        }
        for (int i = 0; i < 3; i++) {
            restart(i);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(read(store, "record-" + i))
                    .isInstanceOfSatisfying(
                            Completed.class,
                            found -> assertThat(found.record().text()).isEqualTo("done"));
        }
    }

    @Test
    void theRecordWithTheHighestTokenWins() {
        complete("a");
        List<DelayedNode> ways = ways();
        QuorumLeaseStore other = open(OPTIONS, ways);
        ways.get(2).cut(true);
        Grant grant = ((Granted) answer(other, request("a"))).grant();
        assertThat(other.complete(grant, LeaseRecord.of("newer"), A_DAY)
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(Ending.Ended.class);
        restart(0);
        restart(1);
        assertThat(read(store, "a"))
                .isInstanceOfSatisfying(
                        Completed.class,
                        found -> assertThat(found.record().text()).isEqualTo("newer"));
    }

    @Test
    void aSecondCompletionWithAnotherRecordReachesNoNodeThatMissedTheFirst() {
        List<DelayedNode> ways = ways();
        QuorumLeaseStore other = open(OPTIONS, ways);
        Grant grant = ((Granted) answer(other, request("a"))).grant();
        ways.get(2).cut(true);
        assertThat(completed(other, grant, "one")).isInstanceOf(Ending.Ended.class);
        ways.get(2).cut(false);
        for (int i = 0; i < 3; i++) { // the node is noticed to be back
            time.advance(OPTIONS.patience());
            assertThat(answer(other, request("b-" + i))).isInstanceOf(Granted.class);
        }
        assertThat(other.guarantees().caveats()).isEmpty();

        assertThat(completed(other, grant, "two")).isEqualTo(new Refused(RefusalReason.NOT_FOUND));

        Scope scope = grant.holding().claim().scopes().get(0);
        assertThat(nodes.get(2).record(scope).toCompletableFuture().join()).isEmpty();
        assertThat(completed(other, grant, "one")).isInstanceOf(Ending.Ended.class);
        assertThat(nodes.get(2).record(scope).toCompletableFuture().join())
                .hasValueSatisfying(kept -> assertThat(kept.record().text()).isEqualTo("one"));
    }

    private static Ending completed(QuorumLeaseStore by, Grant grant, String record) {
        return by.complete(grant, LeaseRecord.of(record), A_DAY)
                .toCompletableFuture()
                .join();
    }

    /** Its worker does not know whether it was kept; whoever has read it relies upon it. */
    @Test
    void aRecordThatFewerThanAMajorityHaveIsGivenToOneBeforeItIsAnswered() {
        List<DelayedNode> ways = ways();
        QuorumLeaseStore worker = open(OPTIONS, ways);
        Grant grant = ((Granted) answer(worker, request("a"))).grant();
        ways.get(1).cut(true);
        ways.get(2).cut(true);
        assertThat(worker.complete(grant, LeaseRecord.of("done"), A_DAY).toCompletableFuture())
                .isCompletedExceptionally();
        time.advance(TTL.multipliedBy(2));

        List<DelayedNode> others = ways();
        QuorumLeaseStore reader = open(OPTIONS, others);
        others.get(2).cut(true);
        assertThat(read(reader, "a")).isInstanceOf(Completed.class);

        nodes.set(0, node());
        assertThat(read(open(OPTIONS, ways()), "a")).isInstanceOf(Completed.class);
    }

    /** Messages are lost, late and doubled, also while records are copied to a node that forgot. */
    @Test
    void acknowledgedRecordsAreFoundWhateverIsLostWhileNodesForgetInTurn() {
        Weather weather = Weather.lossy();
        for (long seed = 1; seed <= 10; seed++) {
            Cluster cluster = new Cluster(seed, 3, 0, weather, Safeguards.ALL);
            cluster.found();
            QuorumLeaseStore client = cluster.open(cluster.wires(), cluster.clock());
            Set<String> acknowledged = new LinkedHashSet<>();
            for (int restarts = 0; restarts < 6; restarts++) {
                for (int i = 0; i < 10; i++) {
                    String name = "record-" + restarts + "-" + i;
                    if (isCompleted(cluster, client, name)) {
                        acknowledged.add(name);
                    }
                }
                restart(cluster, client, cluster.node(restarts % 3));
                for (String name : acknowledged) {
                    // an attempt whose end was lost may be in the way; the work is never done again
                    assertThat(answer(cluster, client, shortRequest(name).unlessCompleted()))
                            .as(name + ", seed " + seed)
                            .isNotInstanceOf(Granted.class);
                }
            }
            cluster.heal();
            for (String name : acknowledged) {
                assertThat(answer(cluster, client, shortRequest(name).unlessCompleted()))
                        .as(name + ", seed " + seed)
                        .isInstanceOf(Completed.class);
            }
            assertThat(acknowledged).hasSizeGreaterThan(40);
        }
    }

    private boolean isCompleted(Cluster cluster, QuorumLeaseStore client, String name) {
        return answer(cluster, client, shortRequest(name)) instanceof Granted granted
                && await(cluster, client.complete(granted.grant(), LeaseRecord.of("done"), A_DAY))
                        instanceof Ending.Ended;
    }

    private void restart(Cluster cluster, QuorumLeaseStore client, SimulatedNode node) {
        node.crash(true);
        node.start();
        for (int i = 0; i < 1000 && !isAdmitted(node); i++) {
            Object unused = answer(cluster, client, shortRequest("other-" + ids));
            cluster.pass(Cluster.PATIENCE);
        }
        assertThat(isAdmitted(node)).isTrue();
    }

    private static boolean isAdmitted(SimulatedNode node) {
        return node.node().standing().toCompletableFuture().join().membership().isPresent();
    }

    private LeaseRequest shortRequest(String name) {
        LeaseRequest request = request(name);
        return LeaseRequest.of(
                request.id(), request.claim(), request.holder(), Cluster.LONGEST_TTL);
    }

    private static Object answer(Cluster cluster, QuorumLeaseStore client, LeaseRequest request) {
        return await(cluster, client.acquire(request));
    }

    /** The answer, or why there is none. */
    private static Object await(Cluster cluster, CompletionStage<?> stage) {
        return cluster.await(stage.handle(
                (answer, failure) -> failure == null ? (Object) answer : Members.cause(failure)));
    }

    /** Its records are lost, and it comes back when it is as old as the longest ttl. */
    private void restart(int index) {
        nodes.set(index, node());
        granted("after-restart-");
        time.advance(TTL.multipliedBy(2));
        granted("when-of-age-");
        time.advance(OPTIONS.patience());
        granted("when-admitted-");
        assertThat(store.guarantees().caveats()).isEmpty();
    }

    private void granted(String name) {
        assertThat(answer(store, request(name + ids))).isInstanceOf(Granted.class);
    }

    private void complete(String name) {
        Grant grant = ((Granted) answer(store, request(name))).grant();
        assertThat(store.complete(grant, LeaseRecord.of("done"), A_DAY)
                        .toCompletableFuture()
                        .join())
                .isInstanceOf(Ending.Ended.class);
    }

    private Acquisition read(QuorumLeaseStore from, String name) {
        return answer(from, request(name).unlessCompleted());
    }

    private static Acquisition answer(QuorumLeaseStore from, LeaseRequest request) {
        return from.acquire(request).toCompletableFuture().join();
    }

    private LeaseRequest request(String name) {
        ids++;
        return LeaseRequest.of(
                new LeaseId(0, ids),
                Claim.exclusive(Scope.name(name)),
                new Holder("somebody"),
                TTL);
    }

    private MemoryQuorumNode node() {
        return MemoryQuorumNode.create(TableOptions.defaults(), time, ++ids);
    }

    private List<DelayedNode> ways() {
        List<DelayedNode> ways = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int index = i;
            ways.add(new DelayedNode(time, () -> nodes.get(index), Duration.ZERO));
        }
        return ways;
    }

    private QuorumLeaseStore open(QuorumOptions options, List<DelayedNode> ways) {
        List<QuorumNode> used = ways.stream().map(DelayedNode::way).toList();
        return QuorumLeaseStore.over(options, time, new SplittableRandom(1), used);
    }
}
