// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeAdmission;
import io.leasehold.spi.NodeStanding.Membership;
import io.leasehold.spi.Polled;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Round;
import io.leasehold.spi.TokenState;
import io.leasehold.testkit.RedisServer;
import io.leasehold.testkit.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A Redis as a node of a quorum answers random proposals, repeats and retractions as a node in
 * memory does, whose rules have a test of their own. With a listener the script takes the general
 * way for all of them, without one the short way for most.
 */
@Execution(ExecutionMode.CONCURRENT)
final class RedisQuorumNodeTest {

    private static final int RUNS = TestLength.of(3, 25);
    private static final int STEPS = 80;
    private static final Duration TTL = Duration.ofMinutes(10);
    private static final List<Claim> CLAIMS = List.of(
            Claim.exclusive(Scope.name("a")),
            Claim.exclusive(Scope.name("a")),
            Claim.exclusive(Scope.name("a"), Scope.name("b")),
            Claim.shared(Scope.name("b")));

    private static RealRedis redis;

    @BeforeAll
    static void start() {
        redis = new RealRedis(RedisServer.start());
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRedisAnswersAsANodeInMemoryDoes(boolean listening) {
        int granted = 0;
        for (int seed = 1; seed <= RUNS; seed++) {
            try (Twins twins = new Twins(seed, redis.options())) {
                if (listening) {
                    twins.listen();
                }
                for (int step = 0; step < STEPS; step++) {
                    twins.step();
                }
                granted += twins.grants.size();
            }
        }
        assertThat(granted).isGreaterThan(RUNS * STEPS / 10);
    }

    /** Two nodes that are asked the same. */
    private static final class Twins implements AutoCloseable {

        private final SplittableRandom random;
        private final long seed;
        private final QuorumNode memory = MemoryQuorumNode.create();
        private final QuorumNode real;
        private final List<String> log = new ArrayList<>();
        private final List<Grant> grants = new ArrayList<>();
        private final Set<LeaseId> waiting = new HashSet<>();
        private final List<CompletableFuture<String>> expected = new ArrayList<>();
        private final List<CompletableFuture<String>> actual = new ArrayList<>();

        Twins(long seed, RedisOptions options) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.real = RedisQuorumNode.at(options.withPatience(Leases.PATIENCE));
            admit(memory);
            admit(real);
        }

        private static void admit(QuorumNode node) {
            long generation = Ask.answer(node.standing()).generation();
            Ask.answer(node.admit(new NodeAdmission(new Membership("q", 3, 1), generation, 10)));
        }

        void listen() {
            LeaseEvents.Subscription unused = real.subscribe(event -> {});
            // the store hears of the listener with the next call
            Ask.answer(real.standing());
        }

        void step() {
            switch (random.nextInt(8)) {
                case 0, 1 -> acquire(request());
                case 2, 3 -> raise();
                case 4 -> {
                    FencingToken token = token();
                    LeaseRequest request = request();
                    same("restore " + token, node -> node.restore(request, token), Twins::text);
                }
                case 5 -> {
                    LeaseRequest request = request();
                    Round round = round();
                    same("retract " + round, node -> node.retract(request, round), Twins::text);
                }
                case 6 -> rotate();
                default -> end();
            }
            compareThoseThatWait();
        }

        private void acquire(LeaseRequest request) {
            Round round = round();
            boolean waits = waiting.contains(request.id()) || random.nextInt(4) == 0;
            LeaseRequest asked = waits ? request.waitingAtMost(TTL) : request;
            Function<QuorumNode, CompletionStage<Polled<Acquisition>>> question =
                    node -> node.acquire(asked, round);
            String what = "acquire " + request.claim() + " in " + round;
            if (waits) {
                log.add(what + " waits");
                waiting.add(request.id());
                expected.add(question.apply(memory).thenApply(this::noted).toCompletableFuture());
                actual.add(question.apply(real).thenApply(Twins::text).toCompletableFuture());
                Ask.answer(real.standing()); // behind the request
            } else {
                same(what, question, this::noted);
            }
        }

        private void raise() {
            if (!grants.isEmpty()) {
                Grant grant = grants.get(random.nextInt(grants.size()));
                FencingToken token = random.nextInt(3) == 0 ? grant.token() : token();
                Round round = random.nextInt(6) == 0 ? Round.FINAL : round();
                same(
                        "raise " + grant.holding() + " to " + token + " in " + round,
                        node -> node.raise(grant, token, round),
                        Twins::text);
            }
        }

        private void rotate() {
            if (!grants.isEmpty()) {
                Grant grant = grants.get(random.nextInt(grants.size()));
                Round round = round();
                same(
                        "rotate " + grant.holding() + " in " + round,
                        node -> node.rotate(grant, round),
                        this::rotated);
            }
        }

        private void end() {
            if (!grants.isEmpty() && random.nextInt(2) == 0) {
                Grant grant = grants.get(random.nextInt(grants.size()));
                same("release " + grant.holding(), node -> node.release(grant), Twins::text);
            }
        }

        private <T> void same(
                String what,
                Function<QuorumNode, CompletionStage<T>> question,
                Function<T, String> answer) {
            log.add(what);
            String wanted = answer.apply(Ask.answer(question.apply(memory)));
            log.add("  " + wanted);
            assertThat(answer.apply(Ask.answer(question.apply(real))))
                    .as("seed " + seed + ": " + log)
                    .isEqualTo(wanted);
        }

        private void compareThoseThatWait() {
            for (int i = expected.size() - 1; i >= 0; i--) {
                if (expected.get(i).isDone()) {
                    String wanted = expected.remove(i).join();
                    assertThat(Ask.answer(actual.remove(i)))
                            .as("seed " + seed + ": " + log)
                            .isEqualTo(wanted);
                } else {
                    assertThat(actual.get(i)).as("seed " + seed + ": " + log).isNotDone();
                }
            }
        }

        // ---- what is asked

        /** One of a few, each of which is asked for again and again. */
        private LeaseRequest request() {
            int number = random.nextInt(6);
            Claim claim = CLAIMS.get(number % CLAIMS.size());
            LeaseRequest request = LeaseRequest.of(
                    new LeaseId(seed, number), claim, new Holder("h" + number), TTL);
            return number % 2 == 0 ? request : request.withRecord(LeaseRecord.of("r" + number));
        }

        private Round round() {
            return new Round(1 + random.nextInt(8), 1 + random.nextInt(3));
        }

        private FencingToken token() {
            return new FencingToken(10 + random.nextInt(60));
        }

        // ---- what is answered

        private String noted(Polled<Acquisition> polled) {
            if (polled.answer() instanceof Acquisition.Granted granted) {
                grants.add(granted.grant());
            }
            return text(polled);
        }

        private String rotated(Polled<Rotation> polled) {
            if (polled.answer() instanceof Rotation.Rotated rotated) {
                grants.add(rotated.grant());
                return rotated.grant().holding() + " " + rotated.version() + text(polled.state());
            }
            return text(polled.answer());
        }

        private static String text(Polled<Acquisition> polled) {
            return text(polled.answer()) + text(polled.state());
        }

        /** But for when it was asked for, which the short way does not tell. */
        private static String text(TokenState state) {
            return " draw " + state.draw() + " mark " + state.mark() + " from "
                    + state.rotatedFrom();
        }

        private static String text(Object answer) {
            if (answer instanceof Acquisition.Granted granted) {
                return granted.grant().holding() + " " + granted.version();
            }
            return answer instanceof Acquisition.Held held
                    ? "held by " + held.blocker() + " " + held.record()
                    : String.valueOf(answer);
        }

        @Override
        public void close() {
            memory.close();
            real.close();
        }
    }
}
