// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.journal.Trail.Line;
import io.leasehold.journal.Trail.Step;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Limits;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One thread of a process under load: leases of all kinds, each acquired, renewed and rotated now
 * and then, and released or completed at once, later, or not at all. Its process ends when an
 * answer is not one that the store may give.
 */
final class LoadWorker implements Runnable {

    private static final Holder HOLDER = new Holder("load");
    private static final Duration TTL = Limits.MAX_TTL;
    private static final Duration KEEP_FOR = Limits.MAX_KEEP_FOR;
    private static final int HELD_AT_MOST = 8;
    private static final int RECORDS = 4; // names with records, for each thread
    private static final int RECORD_BYTES = 1 << 16; // so that segments fill

    private final LeaseStore store;
    private final Trail trail;
    private final String prefix;
    private final int number;
    private final SplittableRandom random;
    private final Deque<Grant> held = new ArrayDeque<>();
    private int count;

    LoadWorker(LeaseStore store, Trail trail, int round, int number) {
        this.store = store;
        this.trail = trail;
        this.prefix = "r" + round;
        this.number = number;
        this.random = new SplittableRandom(1_000L * round + number);
    }

    // ---- what a trail leaves out

    static LeaseRequest request(LeaseId id, Claim claim) {
        return LeaseRequest.of(id, claim, HOLDER, TTL);
    }

    static RenewalRequest renewal(Grant grant) {
        return RenewalRequest.of(grant, TTL);
    }

    static Grant grant(LeaseId id, Claim claim, long token) {
        return new Grant(new Holding(claim, HOLDER, new FencingToken(token)), id, TTL);
    }

    /** What a lease leaves when it is completed. */
    static LeaseRecord record(LeaseId id) {
        byte[] bytes = new byte[(int) (id.low() & RECORD_BYTES - 1)];
        new SplittableRandom(id.high()).nextBytes(bytes);
        return LeaseRecord.of(bytes);
    }

    static CompletionStage<Ending> complete(LeaseStore store, Grant grant) {
        return store.complete(grant, record(grant.id()), KEEP_FOR);
    }

    // ---- the load

    @Override
    public void run() {
        try {
            while (true) {
                live();
                while (held.size() > HELD_AT_MOST) {
                    release(held.removeFirst());
                }
            }
        } catch (Throwable e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    /** The life of one lease. */
    private void live() {
        int kind = random.nextInt(10);
        boolean hasRecord = kind >= 8;
        Grant grant = acquire(claim(kind), kind == 7);
        if (grant == null) {
            return;
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            grant = random.nextInt(3) > 0 ? renew(grant) : rotate(grant);
        }
        if (hasRecord && random.nextInt(4) > 0) {
            complete(grant);
        } else if (kind >= 7 || random.nextInt(3) > 0) {
            release(grant);
        } else {
            held.add(grant);
        }
    }

    /** Most are free; everybody waits for one of them, and records stay where they are. */
    private Claim claim(int kind) {
        String name = prefix + "/" + number + "/" + ++count;
        long inode = 1_000L * random.nextInt(1 << 20) + number;
        return switch (kind) {
            case 0 -> Claim.exclusive(Scope.name(name));
            case 1 -> Claim.exclusive(Scope.path("/path/" + name));
            case 2 -> Claim.exclusive(Scope.subtree("/tree/" + name));
            case 3 -> Claim.exclusive(Scope.inode(inode));
            case 4 -> Claim.exclusive(Scope.range(-1 - inode, count, count + 10));
            case 5 -> Claim.shared(Scope.name(prefix + "/shared"));
            case 6 -> Claim.exclusive(Scope.name(name), Scope.path("/beside/" + name));
            case 7 -> Claim.exclusive(Scope.name(prefix + "/contended"));
            default ->
                Claim.exclusive(Scope.name("record/" + number + "/" + random.nextInt(RECORDS)));
        };
    }

    private @Nullable Grant acquire(Claim claim, boolean waiting) {
        LeaseId id = new LeaseId(random.nextLong(), random.nextLong());
        LeaseRequest request = request(id, claim);
        LeaseRequest sent = waiting ? request.waitingAtMost(Limits.MAX_WAIT) : request;
        Line intent = new Line(false, Step.ACQUIRE, id, Line.NOTHING, claim);
        Acquisition answer = call(intent, () -> store.acquire(sent), LoadWorker::tokenOf);
        return answer instanceof Acquisition.Granted granted ? granted.grant() : null;
    }

    private static long tokenOf(Acquisition answer) {
        if (answer instanceof Acquisition.Granted granted) {
            return granted.grant().token().value();
        }
        expect(answer instanceof Acquisition.Held, answer);
        return Line.NOTHING;
    }

    private Grant renew(Grant grant) {
        Line intent = intent(Step.RENEW, grant);
        Renewal unused = call(intent, () -> store.renew(renewal(grant)), answer -> {
            expect(answer instanceof Renewal.Renewed, answer);
            return intent.token();
        });
        return grant;
    }

    private Grant rotate(Grant grant) {
        Rotation answer =
                call(intent(Step.ROTATE, grant), () -> store.rotate(grant), LoadWorker::tokenOf);
        return answer instanceof Rotation.Rotated rotated ? rotated.grant() : grant;
    }

    private static long tokenOf(Rotation answer) {
        if (answer instanceof Rotation.Rotated rotated) {
            return rotated.grant().token().value();
        }
        throw new IllegalStateException("the store answered " + answer);
    }

    private void release(Grant grant) {
        end(intent(Step.RELEASE, grant), grant, () -> store.release(grant));
    }

    private void complete(Grant grant) {
        end(intent(Step.COMPLETE, grant), grant, () -> complete(store, grant));
    }

    private void end(Line intent, Grant grant, Call<Ending> call) {
        Ending ended = call(intent, call, answer -> {
            expect(answer instanceof Ending.Ended, answer);
            return intent.token();
        });
        if (ended == null) {
            held.add(grant);
        }
    }

    private static Line intent(Step step, Grant grant) {
        return new Line(
                false, step, grant.id(), grant.token().value(), grant.holding().claim());
    }

    private static void expect(boolean expected, Object answer) {
        if (!expected) {
            throw new IllegalStateException("the store answered " + answer);
        }
    }

    private interface Call<T> {
        CompletionStage<T> make();
    }

    /** Makes a call, between its two lines; null if the store can't do it now. */
    private <T> @Nullable T call(Line intent, Call<T> call, ToLongFunction<T> token) {
        trail.add(intent);
        try {
            T answer = call.make().toCompletableFuture().join();
            trail.add(intent.acknowledged(token.applyAsLong(answer)));
            return answer;
        } catch (CompletionException e) {
            if (!(e.getCause() instanceof StoreUnavailableException)) {
                throw e;
            }
            trail.add(intent.acknowledged(Line.UNAVAILABLE));
            return null;
        }
    }
}
