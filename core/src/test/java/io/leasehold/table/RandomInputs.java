// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/** Random arguments from few values, so that requests meet each other and times coincide. */
final class RandomInputs {

    static final List<Scope> SCOPES = List.of(
            Scope.name("a"),
            Scope.name("b"),
            Scope.name("c"),
            Scope.path("/"),
            Scope.path("/a"),
            Scope.path("/a/b"),
            Scope.path("/ab"),
            Scope.subtree("/"),
            Scope.subtree("/a"),
            Scope.subtree("/a/b"),
            Scope.inode(1),
            Scope.inode(-2),
            Scope.range(1, 0, 10),
            Scope.range(1, 5, 15),
            Scope.range(1, 10, 20),
            Scope.range(1, 0, Long.MAX_VALUE),
            Scope.range(-2, 3, 4));

    private static final long TICK = Duration.ofMillis(50).toNanos();

    private final Random random;
    private final List<Scope> scopes;
    private final long seed;
    private long lastId;

    RandomInputs(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        List<Scope> shuffled = new ArrayList<>(SCOPES);
        Collections.shuffle(shuffled, random);
        this.scopes = shuffled.subList(0, 2 + random.nextInt(SCOPES.size() - 1));
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean oneIn(int chances) {
        return random.nextInt(chances) == 0;
    }

    <T> T oneOf(List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    /** One of the last few, the latest more often. */
    <T> T recent(List<T> choices) {
        int back = Math.min(random.nextInt(12), random.nextInt(12));
        return choices.get(Math.max(0, choices.size() - 1 - back));
    }

    private Duration ticks(int bound) {
        return Duration.ofNanos(TICK * random.nextInt(bound));
    }

    Duration ttl() {
        return ticks(6).plusMillis(100);
    }

    Duration keepFor() {
        return ticks(8);
    }

    LeaseRecord record() {
        return LeaseRecord.of("r" + random.nextInt(3));
    }

    Holder holder() {
        return new Holder("h" + random.nextInt(3));
    }

    Mode mode() {
        return oneIn(3) ? Mode.SHARED : Mode.EXCLUSIVE;
    }

    Claim claim() {
        Set<Scope> chosen = new LinkedHashSet<>();
        for (int i = oneIn(3) ? 3 : 1; i > 0; i--) {
            chosen.add(oneOf(scopes));
        }
        return new Claim(List.copyOf(chosen), mode());
    }

    /** Another claim that begins with the same scope. */
    Claim likeButNot(Claim claim) {
        Mode other = claim.mode() == Mode.SHARED ? Mode.EXCLUSIVE : Mode.SHARED;
        if (claim.scopes().size() > 1 && oneIn(2)) {
            return new Claim(claim.scopes().subList(0, 1), claim.mode());
        }
        return new Claim(claim.scopes(), other);
    }

    LeaseRequest request() {
        Optional<LeaseRecord> published = oneIn(4) ? Optional.of(record()) : Optional.empty();
        LeaseRequest.Terms terms = new LeaseRequest.Terms(
                ttl(),
                oneIn(3) ? Duration.ZERO : ticks(12),
                oneIn(5) ? ticks(6) : Duration.ZERO,
                published,
                oneIn(3) ? Optional.of(since()) : Optional.empty());
        return new LeaseRequest(new LeaseId(seed, ++lastId), claim(), holder(), terms);
    }

    /** A request under the same id that is for something else, or of somebody else. */
    LeaseRequest another(LeaseRequest request) {
        LeaseRequest other = request();
        return oneIn(2)
                ? withAnotherClaim(request)
                : new LeaseRequest(
                        request.id(),
                        oneIn(2) ? other.claim() : request.claim(),
                        other.holder(),
                        other.terms());
    }

    LeaseRequest withAnotherClaim(LeaseRequest request) {
        return new LeaseRequest(
                request.id(), likeButNot(request.claim()), request.holder(), request.terms());
    }

    /** A token that was drawn up to the last one, the latest more often. */
    FencingToken earlierThan(long lastToken) {
        return new FencingToken(Math.max(1, lastToken - random.nextInt(12)));
    }

    private FencingToken since() {
        return oneIn(2) ? FencingToken.FIRST : new FencingToken(1 + random.nextInt(200));
    }

    LeaseQuery query() {
        Optional<Scope> overlapping = oneIn(2) ? Optional.empty() : Optional.of(oneOf(SCOPES));
        Optional<FencingToken> after = oneIn(2)
                ? Optional.empty()
                : Optional.of(new FencingToken(1 + random.nextInt(200)));
        return new LeaseQuery(overlapping, after, oneIn(2) ? 1000 : 1 + random.nextInt(4));
    }

    /** The grant with something about it wrong. */
    Grant forged(Grant grant) {
        Holding holding = grant.holding();
        long token = Math.max(1, grant.token().value() + (oneIn(2) ? 1 : -1));
        return switch (random.nextInt(3)) {
            case 0 ->
                new Grant(
                        new Holding(holding.claim(), holding.holder(), new FencingToken(token)),
                        grant.id(),
                        grant.ttl());
            case 1 -> new Grant(holding, new LeaseId(~seed, ++lastId), grant.ttl());
            default ->
                new Grant(
                        new Holding(holding.claim(), holder(), holding.token()),
                        grant.id(),
                        grant.ttl());
        };
    }

    /** How far time goes on: often not at all, often to just where something ends. */
    long step(long now, Supplier<List<Long>> turningPoints) {
        int choice = random.nextInt(10);
        if (choice < 4) {
            return 0;
        }
        List<Long> points = choice < 7 ? turningPoints.get() : List.of();
        if (!points.isEmpty()) {
            return Math.max(0, oneOf(points) + random.nextInt(3) - 1 - now);
        }
        return choice == 9 ? TICK * random.nextInt(10) : random.nextInt((int) TICK);
    }
}
