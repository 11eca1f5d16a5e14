// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Idempotency;
import io.leasehold.IdempotencyOptions;
import io.leasehold.IdempotentCall;
import io.leasehold.Outcome;
import io.leasehold.model.FencingToken;
import io.leasehold.model.IdempotencyConflictException;
import io.leasehold.model.InProgressException;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.NotSharedException;
import io.leasehold.model.WorkFailedException;
import io.leasehold.spi.LeaseView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Two thousand calls on a few hundred keys, repeated as impatient callers do. For each key only one
 * answer is ever seen, by whoever sees one, and it is the one that the store has.
 */
final class IdempotencyScenario {

    private static final int CALLS = 2_000;
    private static final int KEYS_AT_ONCE = 6;
    private static final Digest RIGHT = Digest.of("10.00");
    private static final Digest WRONG = Digest.of("20.00");

    /** Failures that are not to be remembered. */
    private static final class Passing extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** Failures that are the answer. */
    private static final class Lasting extends Exception {
        private static final long serialVersionUID = 1;

        Lasting(String message) {
            super(message);
        }
    }

    private final Cluster cluster;
    private final List<Idempotency<String>> idempotencies = new ArrayList<>();
    private final Map<String, String> answers = new HashMap<>();
    private final List<CompletableFuture<?>> calls = new ArrayList<>();
    private int runs;

    IdempotencyScenario(Cluster cluster) {
        this.cluster = cluster;
        IdempotencyOptions options = IdempotencyOptions.keeping(Duration.ofDays(1))
                .withTtl(Cluster.TTL)
                .withWait(Duration.ofSeconds(3))
                .remembering(Lasting.class);
        for (Node node : cluster.nodes) {
            idempotencies.add(node.leasehold.idempotency("payments", Codec.strings(), options));
        }
    }

    void run() {
        for (int made = 0; made < CALLS; cluster.step()) {
            for (int i = cluster.random.nextInt(4); i > 0; i--) {
                call("k" + (made / 8 + cluster.random.nextInt(KEYS_AT_ONCE)));
                made++;
            }
        }
        cluster.heal(Duration.ofSeconds(30));
        assertThat(calls).allMatch(CompletableFuture::isDone);
        assertThat(cluster.violations).isEmpty();
        cluster.close();
        for (LeaseView row : cluster.world.leases()) {
            assertThat(row.state()).isEqualTo(LeaseView.State.COMPLETED);
        }
    }

    private void call(String key) {
        cluster.count("calls");
        Digest digest = cluster.random.nextInt(20) == 0 ? WRONG : RIGHT;
        String[] own = {""};
        Node node = cluster.oneOf(cluster.nodes);
        CompletableFuture<Outcome<String>> call = idempotencies
                .get(cluster.nodes.indexOf(node))
                .onceAsync(IdempotentCall.of(key, digest), token -> work(node, token, own));
        calls.add(call);
        call.whenComplete((outcome, error) -> {
            if (error == null) {
                succeeded(key + digest, outcome, own[0]);
            } else {
                failed(key + digest, error);
            }
        });
        if (cluster.random.nextInt(50) == 0) {
            call.cancel(false);
        }
    }

    private String work(Node node, FencingToken token, String[] own) throws Passing, Lasting {
        String run = "run " + ++runs;
        cluster.count("ran");
        cluster.workOn(node);
        int fate = cluster.random.nextInt(20);
        if (fate < 2) {
            throw new Passing();
        } else if (fate == 2) {
            throw new Lasting("refused in " + run);
        }
        own[0] = run + " under " + token;
        return own[0];
    }

    private void succeeded(String question, Outcome<String> outcome, String own) {
        agree(question, outcome.value() + "");
        if (!outcome.replayed()) {
            assertTrue(outcome.value().equals(own), "a value of one's own: " + outcome);
        } else if (own.isEmpty()) {
            cluster.count("replayed");
        } else {
            cluster.count("winner's answer");
        }
    }

    private void failed(String question, Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        if (cause instanceof WorkFailedException known) {
            cluster.count("remembered");
            agree(question, known.errorMessage());
        } else if (cause instanceof IdempotencyConflictException) {
            cluster.count("conflict");
        } else if (cause instanceof InProgressException) {
            cluster.count("in progress");
        } else if (cause instanceof LeaseLostException) {
            cluster.count("lost");
        } else if (cause instanceof NotSharedException) {
            cluster.count("not shared");
        } else {
            cluster.count("failed");
        }
    }

    private void agree(String question, String answer) {
        String before = answers.putIfAbsent(question, answer);
        assertTrue(
                before == null || before.equals(answer),
                question + " was answered '" + before + "' and '" + answer + "'");
        String key = question.substring(0, question.length() - 64);
        for (Digest other : List.of(RIGHT, WRONG)) {
            assertTrue(
                    question.endsWith(other.toString()) || !answers.containsKey(key + other),
                    key + " was answered for two payloads");
        }
    }

    /** Noted, not thrown: futures swallow what their dependents throw. */
    private void assertTrue(boolean holds, String otherwise) {
        if (!holds) {
            cluster.violations.add(otherwise);
        }
    }
}
