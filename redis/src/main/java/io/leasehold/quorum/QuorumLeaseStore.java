// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.RequestRefusedException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Limits;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Time;
import io.leasehold.table.StoreThread;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Leases on an odd number of independent nodes, any minority of which may be down: Redlock, with
 * tokens that are ordered. Thread-safe; has no lock that is held while a node is asked, and
 * one thread while timers are due.
 *
 * <h2>Why this is safe, and how far</h2>
 *
 * <p><b>Exclusion.</b> A lease is held when a majority of the nodes holds it under its id. Two
 * majorities share a node, and no node holds two leases that conflict. What the holder is told to be
 * left is what a majority has left at least, counted from before each node was asked. This rests on
 * clocks whose rates differ by no more than the bound by which clients shorten their deadlines, as
 * with every lease.
 *
 * <p><b>Order of tokens.</b> Each node draws from a counter of its own. The highest draw of those
 * that granted is proposed as the token, and is final when a majority has taken it in one round.
 * Whoever is asked for a later grant shares a node with that majority, and the draw there is above
 * it; so tokens rise. No two nodes draw the same number; so no token comes twice. No clock is
 * involved.
 *
 * <p><b>Repeats.</b> Nodes keep the round in which they took a token, and an attempt proposes again
 * what may be final. So a lease id has one token, however often and by whomever it is asked for. An
 * attempt gives back only what it alone has asked for, and nothing for which it has proposed a
 * token. So a repeat that fails takes nothing from the holder.
 *
 * <p><b>Forgetting.</b> A node that forgot has forgotten its admission, and serves nobody until it
 * is admitted again: when every lease that it may have known has run out, by its own age, and with
 * the records and the highest counter of a majority that remembers, read after that. If fewer than a majority remember, nobody can
 * tell what was lost: all nodes must answer, all that forgot must have waited, and tokens go on from
 * the date in microseconds.
 *
 * <p><b>Late messages.</b> What an attempt gives back carries the number of its round; a node does
 * not take from a later round what an earlier one gives back.
 *
 * <p><b>Records.</b> A record is acknowledged when a majority has it, and read when one has it; it is
 * kept as long as no more than a minority of the nodes has forgotten at a time.
 *
 * <p><b>Fairness.</b> Everybody queues at the first node that is alive and not several times slower
 * than the others, and asks the others when its turn has come. Clients that do not agree on which
 * node that is may overtake each other while they do not; that is unfair, not unsafe.
 *
 * <p><b>Not promised:</b> anything about a holder that is paused after it has looked at its
 * deadline, or about clocks beyond the bound; there only a guard helps, and the order of tokens,
 * which needs no clock as long as no node forgets meanwhile, is what it needs.
 */
public final class QuorumLeaseStore implements LeaseStore {

    private final QuorumOptions options;
    private final Members members;
    private final Context context;
    private final Endings endings;
    private final Pages pages;
    private final Completions completions;
    private final MajorityEvents events;
    private final QuorumIdentity identity;

    QuorumLeaseStore(
            QuorumOptions options,
            List<? extends QuorumNode> nodes,
            Time clock,
            RandomGenerator random,
            Safeguards safeguards) {
        Time time = StoreThread.timers(clock, "leasehold-quorum-alarms");
        this.options = options;
        this.members = new Members(List.copyOf(nodes), options, time, safeguards);
        this.context = new Context(members, random, safeguards);
        this.endings = new Endings(context);
        this.pages = new Pages(members);
        this.completions = new Completions(endings, pages);
        this.events = new MajorityEvents(members);
        this.identity = new QuorumIdentity(
                new AnyScope(), time, options.longestTtl(), context::randomNumber);
        CompletionStage<Void> unused = members.callTheRoll();
    }

    /** A quorum of these nodes, which are closed with it, with the usual options. */
    public static QuorumLeaseStore over(QuorumNode... nodes) {
        return over(QuorumOptions.defaults(), nodes);
    }

    /** A quorum of these nodes, which are closed with it. */
    public static QuorumLeaseStore over(QuorumOptions options, QuorumNode... nodes) {
        return over(options, Time.system(), new SecureRandom(), List.of(nodes));
    }

    /** A quorum on a time and with randomness of the caller's choice. */
    public static QuorumLeaseStore over(
            QuorumOptions options,
            Time time,
            RandomGenerator random,
            List<? extends QuorumNode> nodes) {
        return new QuorumLeaseStore(options, nodes, time, random, Safeguards.ALL);
    }

    @Override
    public CompletionStage<Acquisition> acquire(LeaseRequest request) {
        return unlessReserved(request.claim().scopes(), () -> acquireAny(request));
    }

    private CompletionStage<Acquisition> acquireAny(LeaseRequest request) {
        LeaseRequest.Terms terms = request.terms();
        return checked(terms.ttl().plus(terms.lockDelay()), () -> context.pursue(request));
    }

    @Override
    public CompletionStage<Ending> withdraw(LeaseRequest request) {
        return ready(() -> {
            if (context.isOfAnother(request)) {
                return CompletableFuture.completedFuture(new Ending.Ended());
            }
            context.noteEnd(request.id(), request.claim());
            context.withdraw(request.id());
            return endings.withdraw(request);
        });
    }

    @Override
    public CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return ready(() -> context.isOfAnother(request)
                ? refused(RefusalReason.NOT_FOUND)
                : context.withdrawUnlessShared(request)
                        .thenCompose(alone -> alone
                                ? endings.withdrawUnlessUsed(request)
                                : refused(RefusalReason.NOT_HOLDER))
                        .thenApply(ending -> {
                            if (ending instanceof Ending.Ended) {
                                context.noteEnd(request.id(), request.claim());
                            }
                            return ending;
                        }));
    }

    private static CompletableFuture<Ending> refused(RefusalReason reason) {
        return CompletableFuture.completedFuture(new Refused(reason));
    }

    @Override
    public CompletionStage<Renewal> renew(RenewalRequest request) {
        return renewAll(List.of(request)).thenApply(answers -> answers.get(0));
    }

    @Override
    public CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        if (requests.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        Duration longest = Duration.ZERO;
        for (RenewalRequest request : requests) {
            Duration ttl = request.ttl().orElse(Duration.ZERO);
            longest = ttl.compareTo(longest) > 0 ? ttl : longest;
        }
        return checked(longest, () -> new Renewals(context, requests).send());
    }

    @Override
    public CompletionStage<Rotation> rotate(Grant grant) {
        return ready(() -> new Rotations(context, grant).send());
    }

    @Override
    public CompletionStage<Ending> release(Grant grant) {
        return ready(() -> endings.release(grant));
    }

    @Override
    public CompletionStage<Ending> forceRelease(Scope scope, FencingToken token) {
        return unlessReserved(
                List.of(scope), () -> ready(() -> endings.forceRelease(scope, token)));
    }

    @Override
    public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
        return unlessReserved(
                grant.holding().claim().scopes(), () -> completeAny(grant, record, keepFor));
    }

    private CompletionStage<Ending> completeAny(Grant grant, LeaseRecord record, Duration keepFor) {
        return ready(() -> completions.complete(grant, record, keepFor));
    }

    /** How the store gets at its own id. */
    private final class AnyScope implements QuorumIdentity.Operations {

        @Override
        public CompletionStage<Acquisition> acquire(LeaseRequest request) {
            return acquireAny(request);
        }

        @Override
        public CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor) {
            return completeAny(grant, record, keepFor);
        }
    }

    @Override
    public CompletionStage<LeasePage> list(LeaseQuery query) {
        return ready(() -> pages.of(query).thenCompose(page -> withoutIdentity(query, page)));
    }

    /** A page that had nothing but the record of the store id is no end of the list. */
    private CompletionStage<LeasePage> withoutIdentity(LeaseQuery query, LeasePage page) {
        List<LeaseView> shown = QuorumIdentity.without(page.leases());
        if (!shown.isEmpty() || page.leases().isEmpty() || !page.more()) {
            return CompletableFuture.completedFuture(new LeasePage(shown, page.more()));
        }
        FencingToken last =
                page.leases().get(page.leases().size() - 1).holding().token();
        return list(new LeaseQuery(query.overlapping(), Optional.of(last), query.limit()));
    }

    @Override
    public LeaseEvents.Subscription subscribe(LeaseEvents listener) {
        return events.subscribe(listener);
    }

    @Override
    public Guarantees guarantees() {
        boolean durable = true;
        boolean wall = false;
        List<String> caveats = new ArrayList<>(members.absences());
        for (Member member : members.all()) {
            Guarantees node = member.node().guarantees();
            durable &= node.durable();
            wall |= node.clock() == Guarantees.Clock.WALL;
            node.caveats().forEach(caveat -> caveats.add("node " + member.index + ": " + caveat));
        }
        return new Guarantees(
                "quorum",
                durable,
                true,
                wall ? Guarantees.Clock.WALL : Guarantees.Clock.MONOTONIC,
                true,
                caveats);
    }

    /** A majority of the nodes keeps it; the first who asks has them agree on one. */
    @Override
    public CompletionStage<StoreId> storeId() {
        return identity.id();
    }

    /**
     * Tells of another id when {@link #storeId()} finds one, which looks once a minute at most. Leases
     * that were granted between the loss of the old id and that look are lost with the others.
     */
    @Override
    public LeaseEvents.Subscription onStoreChange(Consumer<StoreId> listener) {
        return identity.subscribe(listener);
    }

    /** Closes the nodes too. */
    @Override
    public void close() {
        members.retire();
        events.close();
        context.close();
        members.close();
    }

    /**
     * The operations by which somebody else could replace or block the store id. The others need the
     * id of a lease, which nobody else knows of a lease there.
     */
    private static <T> CompletionStage<T> unlessReserved(
            List<Scope> scopes, Supplier<CompletionStage<T>> operation) {
        Optional<RequestRefusedException> refusal = QuorumIdentity.refusal(scopes);
        return refusal.isPresent()
                ? CompletableFuture.failedFuture(refusal.get())
                : operation.get();
    }

    private <T> CompletionStage<T> checked(
            Duration length, Supplier<? extends CompletionStage<T>> operation) {
        if (length.compareTo(longest()) > 0) {
            return CompletableFuture.failedFuture(new LimitExceededException(
                    "ttl in a quorum",
                    options.longestTtl().toMillis(),
                    "a lease of " + length + " with its lock-delay; the quorum allows "
                            + options.longestTtl()
                            + ", for which a node that forgot is kept out"));
        }
        return ready(operation);
    }

    /** Where the longest of all leases are allowed, they may have a lock-delay too. */
    private Duration longest() {
        return options.longestTtl().equals(Limits.MAX_TTL)
                ? Limits.MAX_TTL.plus(Limits.MAX_LOCK_DELAY)
                : options.longestTtl();
    }

    private <T> CompletionStage<T> ready(Supplier<? extends CompletionStage<T>> operation) {
        CompletableFuture<T> result = new CompletableFuture<>();
        CompletionStage<T> unused = members.ready()
                .thenCompose(ready -> operation.get())
                .whenComplete((answer, failure) -> {
                    if (failure == null) {
                        result.complete(answer);
                    } else {
                        result.completeExceptionally(Members.cause(failure));
                    }
                });
        return result;
    }
}
