// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Codec;
import io.leasehold.Flight;
import io.leasehold.SingleFlight;
import io.leasehold.SingleFlightOptions;
import io.leasehold.model.FencingToken;
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
 * Two thousand callers of three keys. Whoever sees the outcome of a generation sees the same one,
 * and a generation that was seen elsewhere is the newest that the store has completed.
 */
final class FlightScenario {

    private static final int CALLS = 2_000;

    private final Cluster cluster;
    private final List<List<SingleFlight<String>>> flights = new ArrayList<>();
    private final Map<FencingToken, String> outcomes = new HashMap<>();
    private final Map<String, FencingToken> newestRun = new HashMap<>();
    private final List<CompletableFuture<?>> calls = new ArrayList<>();

    FlightScenario(Cluster cluster) {
        this.cluster = cluster;
        SingleFlightOptions options = SingleFlightOptions.defaults()
                .withTtl(Cluster.TTL)
                .withWait(Duration.ofSeconds(15));
        for (Node node : cluster.nodes) {
            flights.add(List.of(
                    node.leasehold.singleFlight("now", Codec.strings(), options),
                    node.leasehold.singleFlight(
                            "kept", Codec.strings(), options.withKeepFor(Duration.ofSeconds(2)))));
        }
    }

    void run() {
        for (int made = 0; made < CALLS; cluster.step()) {
            for (int i = cluster.random.nextInt(12); i > 0; i--) {
                call();
                made++;
            }
        }
        cluster.heal(Duration.ofSeconds(60));
        assertThat(calls).allMatch(CompletableFuture::isDone);
        cluster.close();
        assertThat(cluster.violations).isEmpty();
        for (LeaseView row : cluster.world.leases()) {
            assertThat(row.state()).isEqualTo(LeaseView.State.COMPLETED);
        }
    }

    private void call() {
        cluster.count("calls");
        String key = "k" + cluster.random.nextInt(3);
        int kind = cluster.random.nextInt(2);
        Node node = cluster.oneOf(cluster.nodes);
        CompletableFuture<Flight<String>> call = flights.get(cluster.nodes.indexOf(node))
                .get(kind)
                .getAsync(key, token -> work(node, token, key + kind));
        calls.add(call);
        call.whenComplete((flight, error) -> {
            Throwable cause = error instanceof CompletionException ? error.getCause() : error;
            if (flight != null) {
                cluster.count(flight.shared() ? "shared" : "own");
                agree(flight.token(), flight.value());
            } else if (cause instanceof WorkFailedException failed) {
                cluster.count("failed");
                agree(failed.token(), failed.errorMessage());
            } else {
                cluster.count("other");
            }
        });
        if (cluster.random.nextInt(20) == 0 && call.cancel(false)) {
            cluster.count("left");
        }
    }

    private String work(Node node, FencingToken token, String key) {
        FencingToken before = newestRun.put(key, token);
        if (before != null && !before.isOlderThan(token)) {
            cluster.violations.add(token + " begins, though " + before + " has begun");
        }
        cluster.workOn(node);
        if (!token.equals(newestRun.get(key))) {
            cluster.count("done late"); // what it brings must not be published
        }
        String value = "made under " + token;
        if (cluster.random.nextInt(10) == 0) {
            throw new IllegalStateException(value + " but failed");
        }
        return value;
    }

    private void agree(FencingToken token, String outcome) {
        String before = outcomes.putIfAbsent(token, outcome);
        if (before != null && !before.equals(outcome)) {
            cluster.violations.add(token + " ended in '" + before + "' and '" + outcome + "'");
        }
        if (!outcome.startsWith("made under " + token)) {
            cluster.violations.add("'" + outcome + "' is told as the outcome of " + token);
        }
    }
}
