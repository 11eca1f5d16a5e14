// SPDX-License-Identifier: Apache-2.0
package io.leasehold.lincheck;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jspecify.annotations.Nullable;

/**
 * What several threads do to one store: each with leases that it remembers itself, and all with one lease that was
 * there before them. Time stands still, so that the answers of two stores can be compared as they are.
 */
@Param(name = "thread", gen = ThreadIdGen.class)
@Param(name = "claim", gen = IntGen.class, conf = "0:3")
@Param(name = "attempt", gen = IntGen.class, conf = "0:1")
public abstract class LeaseOperations {

    private static final int THREADS = 8;
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final LeaseRecord DONE = LeaseRecord.of("done");
    private static final Scope A = Scope.name("a");
    private static final Scope B = Scope.name("b");
    private static final Claim[] CLAIMS = {
        Claim.exclusive(A), Claim.exclusive(B), Claim.shared(A), Claim.exclusive(A, B)
    };

    private final LeaseStore store;
    private final @Nullable Grant[] grants = new @Nullable Grant[THREADS * CLAIMS.length];
    private final Grant founders;

    LeaseOperations(LeaseStore store) {
        this.store = store;
        LeaseRequest request =
                LeaseRequest.of(new LeaseId(9, 9), Claim.exclusive(A), new Holder("founder"), TTL);
        this.founders = ((Acquisition.Granted) now(store.acquire(request))).grant();
    }

    @Operation(params = {"thread", "claim", "attempt"})
    public Acquisition acquire(int thread, int claim, int attempt) {
        Acquisition answer = now(store.acquire(request(thread, claim, attempt)));
        if (answer instanceof Acquisition.Granted granted) {
            grants[slot(thread, claim)] = granted.grant();
        }
        return answer;
    }

    @Operation(params = {"thread", "claim"})
    public Renewal renew(int thread, int claim) {
        return now(store.renew(RenewalRequest.of(grant(thread, claim), TTL)));
    }

    @Operation(params = {"thread", "claim"})
    public Rotation rotate(int thread, int claim) {
        Rotation answer = now(store.rotate(grant(thread, claim)));
        if (answer instanceof Rotation.Rotated rotated) {
            grants[slot(thread, claim)] = rotated.grant();
        }
        return answer;
    }

    @Operation(params = {"thread", "claim"})
    public Ending release(int thread, int claim) {
        return now(store.release(grant(thread, claim)));
    }

    @Operation(params = {"thread", "claim"})
    public Ending complete(int thread, int claim) {
        return now(store.complete(grant(thread, claim), DONE, TTL));
    }

    /** By the last scope, which may not be the one that the lock is taken by. */
    @Operation(params = {"thread", "claim"})
    public Ending force(int thread, int claim) {
        Grant grant = grant(thread, claim);
        List<Scope> scopes = grant.holding().claim().scopes();
        return now(store.forceRelease(scopes.get(scopes.size() - 1), grant.token()));
    }

    /** Whoever knows a request's id may withdraw it: here, the neighbour's. */
    @Operation(params = {"thread", "claim", "attempt"})
    public Ending withdrawNeighbours(int thread, int claim, int attempt) {
        return now(store.withdraw(request(thread % 2 + 1, claim, attempt)));
    }

    /** What the thread was granted last, or else what was there before all of them. */
    private Grant grant(int thread, int claim) {
        Grant mine = grants[slot(thread, claim)];
        return mine == null ? founders : mine;
    }

    private static int slot(int thread, int claim) {
        return thread * CLAIMS.length + claim;
    }

    /** The same arguments make the same request, so that threads also repeat themselves. */
    private static LeaseRequest request(int thread, int claim, int attempt) {
        LeaseId id = new LeaseId(thread, slot(thread, claim) * 2L + attempt);
        LeaseRequest request = LeaseRequest.of(id, CLAIMS[claim], new Holder("thread"), TTL);
        return attempt == 0 ? request : request.unlessCompleted();
    }

    private static <T> T now(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
