// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation.Rotated;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Several clients that ask for the same few lease ids at the same time, each id by more than one of
 * them, and all ids for the same scope. An observer that sees all nodes checks what they are told:
 *
 * <ul>
 *   <li>a lease id has at most one token that was returned, and one more for a rotation;
 *   <li>what was returned is at a majority of the nodes under its token until it is released;
 *   <li>nobody else is granted the scope before.
 * </ul>
 */
final class RepeatingClients {

    private static final Duration TTL = Duration.ofSeconds(3);
    private static final Duration LOOK = Duration.ofMillis(20);
    private static final int CLIENTS = 3;
    private static final int IDS = 3;
    private static final int ATTEMPTS = 8;
    private static final int SPAN_MILLIS = 500;
    private static final int TOLD = 3;

    /** A lease id: what was returned for it, and whether it is over. */
    private static final class Pursued {
        private final LeaseRequest request;
        private @Nullable FencingToken returned;
        private @Nullable FencingToken rotated;
        private boolean rotating;
        private boolean over;

        Pursued(LeaseRequest request) {
            this.request = request;
        }

        /** The token that must be at a majority now, if there is one. */
        @Nullable
        FencingToken current() {
            if (over) {
                return null;
            }
            return rotating ? rotated : returned;
        }
    }

    private final Cluster cluster;
    private final int size;
    private final SplittableRandom random;
    private final List<QuorumLeaseStore> stores = new ArrayList<>();
    private final List<Pursued> pursued = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private int generation;
    private int grants;
    private int repeats;
    private int rotations;

    RepeatingClients(long seed, int size) {
        this.size = size;
        this.cluster = new Cluster(seed, size, 0, Weather.storm(), Safeguards.ALL);
        this.random = cluster.random().split();
        cluster.found();
        for (int i = 0; i < CLIENTS; i++) {
            stores.add(cluster.open(cluster.wires(), cluster.time()));
        }
        cluster.pass(Cluster.PATIENCE.multipliedBy(2));
    }

    /** Lets them ask for new ids, of a new scope, until all is over. */
    void generation() {
        pursued.forEach(each -> each.over = true);
        pursued.clear();
        generation++;
        Claim claim = Claim.exclusive(Scope.name("a" + generation));
        for (int i = 0; i < IDS; i++) {
            pursued.add(new Pursued(LeaseRequest.of(
                    new LeaseId(generation, i), claim, new Holder("holder-" + i), TTL)));
        }
        for (int i = 0; i < ATTEMPTS; i++) {
            Pursued wanted = pursued.get(random.nextInt(IDS));
            soon(() -> acquire(wanted));
        }
        look(generation);
        cluster.pass(Duration.ofMillis(3 * SPAN_MILLIS));
    }

    private void acquire(Pursued wanted) {
        LeaseRequest request = random.nextBoolean()
                ? wanted.request
                : wanted.request.waitingAtMost(Duration.ofMillis(random.nextInt(SPAN_MILLIS)));
        QuorumLeaseStore store = store();
        ask(store.acquire(request), answer -> {
            if (answer instanceof Granted granted && !wanted.over) {
                granted(wanted, granted.grant(), store);
            }
        });
    }

    private void granted(Pursued wanted, Grant grant, QuorumLeaseStore store) {
        grants++;
        for (Pursued other : pursued) {
            if (other != wanted && !other.over && other.returned != null) {
                violate("two holders: " + grant.token() + " beside " + other.returned);
            }
        }
        if (wanted.returned == null) {
            wanted.returned = grant.token();
        } else {
            repeats++;
            if (!grant.token().equals(wanted.returned)) {
                rotated(wanted, grant.token());
            }
        }
        check(wanted);
        if (random.nextInt(2) == 0) {
            soon(() -> rotate(wanted, grant));
            soon(() -> rotate(wanted, grant));
        }
        if (random.nextInt(2) == 0) {
            soon(() -> ask(store.renew(RenewalRequest.of(grant, TTL)), renewal -> {}));
        }
        soon(() -> {
            if (random.nextInt(3) == 0) {
                wanted.over = true;
                ask(store.release(grant), ending -> {});
            }
        });
    }

    private void rotate(Pursued wanted, Grant grant) {
        if (wanted.over || !grant.token().equals(wanted.returned)) {
            return;
        }
        wanted.rotating = true;
        ask(store().rotate(grant), answer -> {
            if (answer instanceof Rotated rotation && !wanted.over) {
                rotations++;
                rotated(wanted, rotation.grant().token());
                check(wanted);
            }
        });
    }

    /** Another token than the first was returned. */
    private void rotated(Pursued wanted, FencingToken token) {
        if (!wanted.rotating) {
            violate("two tokens for one id: " + wanted.returned + " and " + token);
        } else if (wanted.rotated != null && !wanted.rotated.equals(token)) {
            violate("two tokens for one rotation: " + wanted.rotated + " and " + token);
        } else {
            wanted.rotated = token;
        }
    }

    // ---- the observer

    private void look(int current) {
        if (current == generation) {
            pursued.forEach(this::check);
            cluster.after(LOOK, () -> look(current));
        }
    }

    private void check(Pursued wanted) {
        FencingToken token = wanted.current();
        if (token == null) {
            return;
        }
        int having = 0;
        for (int i = 0; i < size; i++) {
            having +=
                    cluster
                                    .node(i)
                                    .node()
                                    .list(LeaseQuery.all())
                                    .toCompletableFuture()
                                    .join()
                                    .leases()
                                    .stream()
                                    .anyMatch(row -> row.holding().token().equals(token))
                            ? 1
                            : 0;
        }
        if (having <= size / 2) {
            violate("token " + token + " is at " + having + " of " + size + " nodes");
        }
    }

    private void violate(String what) {
        if (violations.size() < TOLD) {
            violations.add("generation " + generation + ": " + what);
        }
    }

    List<String> violations() {
        return violations;
    }

    int grants() {
        return grants;
    }

    int repeats() {
        return repeats;
    }

    int rotations() {
        return rotations;
    }

    // ---- small things

    private QuorumLeaseStore store() {
        return stores.get(random.nextInt(CLIENTS));
    }

    private void soon(Runnable task) {
        cluster.after(Duration.ofMillis(random.nextInt(SPAN_MILLIS)), task);
    }

    private static <T> void ask(CompletionStage<T> stage, Consumer<T> then) {
        CompletionStage<T> unused = stage.whenComplete((answer, failure) -> {
            if (failure == null) {
                then.accept(answer);
            }
        });
    }
}
