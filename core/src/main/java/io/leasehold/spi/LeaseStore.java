// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Where leases live and where time is decided: one namespace of one engine.
 *
 * <h2>What an implementer owes</h2>
 *
 * <ul>
 *   <li><b>Atomic decisions.</b> Every operation reads, checks, and only then writes, in one step
 *       that no other operation can interleave with.
 *   <li><b>One predicate.</b> A lease is held exactly while {@code now < expiry}, in store time,
 *       for every operation. Store time never runs backwards. Expiry needs no thread: it is judged
 *       when it matters.
 *   <li><b>Tokens.</b> Strictly increasing in grant order over the store, drawn only when ownership
 *       changes, durable before the grant is answered, 1 to 2<sup>53</sup>-1, then {@link
 *       io.leasehold.model.LimitExceededException}.
 *   <li><b>Identity.</b> A store has an id of its own, drawn at its birth and kept with its leases and
 *       its token counter: whoever loses these loses the id too, and draws another. Each namespace is
 *       a store with an id, also where many are served by one process.
 *   <li><b>Matching.</b> Renewal, rotation, release and completion match scopes, token and lease id
 *       of an unexpired lease. Anything else is {@link Refused} and changes nothing. Only {@link
 *       #forceRelease} needs no lease id; who may call it is for whoever offers it to say.
 *   <li><b>Repeats.</b> All of them are idempotent for a retry window after the lease ended: a
 *       repeated acquire gets its own grant again, or {@link Acquisition.Gone} once that is over,
 *       never a second lease; a repeated release, completion or rotation that had succeeded
 *       succeeds again. An id belongs to one request, in the whole store: while a lease or a waiter has it,
 *       a request with other scopes, another mode, holder or ttl is {@code Gone(SCOPE_MISMATCH)}
 *       ({@link LeaseRequest#isRepeatOf}). What counts is what the request asked for, so a repeat is
 *       known as such also after a renewal for another ttl. A store that lost what was asked for, as
 *       a node to which a lease was restored, compares scopes and mode alone.
 *   <li><b>Queueing.</b> Conflicting requests that wait are served first come first served, a
 *       request that does not wait never overtakes one that does, and shared requests never
 *       overtake a conflicting earlier exclusive one. A waiter is granted only before the end of
 *       its wait, counted in the store from its latest repeat; repeating the request keeps its
 *       place. One wake-up per grant.
 *   <li><b>Three outcomes.</b> A stage completes with an answer, or exceptionally: with {@link
 *       io.leasehold.model.StoreUnavailableException}, {@link
 *       io.leasehold.model.LimitExceededException} or {@link
 *       io.leasehold.model.RequestRefusedException} if nothing happened, with {@link
 *       io.leasehold.model.OutcomeUnknownException} if it may have. No other exceptions. A reply
 *       may also never come; callers bound their own waiting.
 *   <li><b>Threads.</b> Thread-safe. Stages may complete on any thread, the store's own included;
 *       dependents are short and never block. No lock of the store is held while one completes.
 *   <li><b>Limits.</b> Whatever is kept is bounded, and secrets ({@link
 *       io.leasehold.model.LeaseId}) never leave through listings, events, logs or exceptions.
 * </ul>
 *
 * <p>The contract test in {@code leasehold-testkit} checks all of this: open a store, let time
 * pass, and inherit the rest.
 */
public interface LeaseStore extends AutoCloseable {

    /** Asks for a lease, queueing for as long as the request says. */
    CompletionStage<Acquisition> acquire(LeaseRequest request);

    /**
     * Takes a request back, whatever became of it: leaves the queue, or releases the lease if it
     * was granted, and makes a late duplicate of the request {@link Acquisition.Gone}. The way out
     * for a caller that does not know its token. Ended also when the store never saw the request.
     *
     * <p>The id and the claim must be the request's. While a lease or a waiter has the id for another
     * claim, it is ended too, but nothing changes and nothing is remembered.
     */
    CompletionStage<Ending> withdraw(LeaseRequest request);

    /**
     * Takes a request back unless somebody else may rely on it: for a server whose caller seems to be
     * gone. The caller may have asked again elsewhere, or have heard the answer after all. So a store
     * keeps with each waiter and each lease its only {@linkplain LeaseRequest#sender sender}, and none
     * once another sender, or a client itself, repeated the request. In one step:
     *
     * <ul>
     *   <li>The request waits, and this sender is the only one: it leaves the queue. Attempts that still
     *       wait are answered {@link Acquisition.Gone}; the request may come again, as a new one.
     *   <li>The request is a lease that is held, this sender is the only one, and nobody has renewed or
     *       rotated the lease: withdrawn, as by {@link #withdraw}.
     *   <li>It waits or is held otherwise, or the store does not know: {@code Refused(NOT_HOLDER)},
     *       and nothing changes.
     *   <li>It was a lease that is over: ended.
     *   <li>The store knows nothing of it, or the id is in use for another claim: {@code
     *       Refused(NOT_FOUND)}. That is not remembered, so the request may still come.
     * </ul>
     *
     * <p>A store may forget the sender, as at a restart; then it refuses. By default it always does.
     */
    default CompletionStage<Ending> withdrawUnlessUsed(LeaseRequest request) {
        return CompletableFuture.completedFuture(new Refused(RefusalReason.NOT_HOLDER));
    }

    /** Lets a lease run again in full, if it is still held. The token stays. */
    CompletionStage<Renewal> renew(RenewalRequest request);

    /**
     * Renews many at once, each with its own answer at its own index. Engines with a round trip
     * override it to need few of them.
     */
    default CompletionStage<List<Renewal>> renewAll(List<RenewalRequest> requests) {
        List<CompletableFuture<Renewal>> replies = new ArrayList<>(requests.size());
        for (RenewalRequest request : requests) {
            replies.add(renew(request).toCompletableFuture());
        }
        return CompletableFuture.allOf(replies.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> replies.stream().map(CompletableFuture::join).toList());
    }

    /**
     * Draws a new, higher token for the same holder, to fence off its own earlier writes. Does not
     * extend the lease. Repeated with the grant it replaced, it answers with the same new grant.
     */
    CompletionStage<Rotation> rotate(Grant grant);

    /** Ends a lease. */
    CompletionStage<Ending> release(Grant grant);

    /**
     * Ends a lease and leaves a record at each of its scopes, in the same step, so that a holder
     * that lost its lease can't publish. A retention of zero leaves nothing and removes what was
     * there. It is repeated with the same record and retention; with another one it is refused, because
     * the lease is over.
     */
    CompletionStage<Ending> complete(Grant grant, LeaseRecord record, Duration keepFor);

    /**
     * Ends the lease that holds the scope under the token, whoever holds it and without its lease
     * id: for people who take a lock from a holder that can't give it back. With the token nobody
     * ends a successor by mistake. All scopes of the lease are free, whoever waits is next, as at a
     * release; no lock-delay follows, and listeners are told {@link LeaseEvent.Change#RELEASED}.
     *
     * <p>The lease counts as withdrawn. Its holder's next renewal is refused, and so are its
     * release, rotation and completion, because the lock was not its own to the end; a repeat of its
     * request is {@link Acquisition.Gone}. Until then the holder knows nothing of it and may go on
     * working beside a successor: only guards keep them apart.
     *
     * <p>Refused as {@code NOT_FOUND} if nothing holds exactly this scope, also when repeated; as
     * {@code NOT_HOLDER} if it is held under other tokens only, such as after a rotation; as {@code
     * EXPIRED} while nothing but the lock-delay of this lease is left.
     */
    CompletionStage<Ending> forceRelease(Scope scope, FencingToken token);

    /** Lists leases, lock-delays and records, for people. */
    CompletionStage<LeasePage> list(LeaseQuery query);

    /**
     * Says whether a token holds a scope, for resources that are shown a token but no lease: among
     * any number of leases. By default all that overlaps the scope is listed, page by page; an engine
     * that can look at it in one pass overrides it.
     */
    default CompletionStage<TokenCheck> check(Scope scope, FencingToken token) {
        return check(LeaseQuery.overlapping(scope), new TokenCheck.Search(scope, token));
    }

    private CompletionStage<TokenCheck> check(LeaseQuery query, TokenCheck.Search search) {
        return list(query).thenCompose(page -> {
            List<LeaseView> rows = page.leases();
            rows.forEach(search::see);
            return page.more() && !rows.isEmpty()
                    ? check(query.after(rows.get(rows.size() - 1).holding().token()), search)
                    : CompletableFuture.completedFuture(search.result());
        });
    }

    /** Tells the listener of every change from now on. */
    LeaseEvents.Subscription subscribe(LeaseEvents listener);

    /** What this engine promises. */
    Guarantees guarantees();

    /**
     * The id of this store, as its latest answer told it. The store is asked only if there was no
     * answer yet; where a store is made by its first lease, that may fail as unavailable. The id is
     * another one when the store has forgotten its leases, or when another store answers in its place.
     */
    CompletionStage<StoreId> storeId();

    /**
     * Tells the listener of every other id that the store turns out to have from now on, before an
     * answer of the store under that id. The leases that were granted before are lost. The listener is
     * quick, does not block and calls no store: it may run under a lock of the engine, which keeps
     * answers under the new id back until it has returned. An engine whose store can't change under it
     * never calls one.
     */
    default LeaseEvents.Subscription onStoreChange(Consumer<StoreId> listener) {
        return () -> {};
    }

    /**
     * The same store for a thread that waits for each answer at once. Its operations may use that
     * thread to send the request and to read the answer, to save waking others. They still return
     * within milliseconds if the answer takes longer, because the caller has a time-out of its own
     * that only it can keep. So an engine does nothing on the caller's thread that it can't break
     * off: forcing a file to disk, for one, is left to a thread of the engine's.
     */
    default LeaseStore forWaitingCallers() {
        return this;
    }

    /**
     * Answers later calls as unavailable; and whoever waits too, or as unknown where the request may
     * still be granted elsewhere. Idempotent, never throws.
     */
    @Override
    void close();
}
