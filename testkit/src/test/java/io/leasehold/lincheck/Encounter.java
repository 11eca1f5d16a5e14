// SPDX-License-Identifier: Apache-2.0
package io.leasehold.lincheck;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/** Two threads that meet at a store with one thing to do each, and what must hold when both have done it. */
public abstract class Encounter {

    private static final Duration TTL = Duration.ofSeconds(30);

    final LeaseStore store;

    Encounter(LeaseStore store) {
        this.store = store;
    }

    abstract void one();

    abstract void other();

    abstract boolean everyoneIsAnswered();

    @Operation(runOnce = true)
    public void first() {
        one();
    }

    @Operation(runOnce = true)
    public void second() {
        other();
    }

    @Validate
    public void validate() {
        if (!everyoneIsAnswered()) {
            throw new AssertionError("somebody was left without the right answer");
        }
    }

    /** A request that waits if it has to; the same arguments make the same request. */
    LeaseRequest request(long id, String... names) {
        Scope[] scopes = Arrays.stream(names).map(Scope::name).toArray(Scope[]::new);
        Claim claim = Claim.exclusive(scopes);
        return LeaseRequest.of(new LeaseId(0, id), claim, new Holder("thread"), TTL)
                .waitingAtMost(TTL);
    }

    CompletableFuture<Acquisition> asks(LeaseRequest request) {
        return store.acquire(request).toCompletableFuture();
    }

    Grant holds(long id, String name) {
        return ((Granted) asks(request(id, name)).join()).grant();
    }

    static boolean isGranted(CompletableFuture<Acquisition> answer) {
        return answer.isDone() && answer.join() instanceof Granted;
    }
}
