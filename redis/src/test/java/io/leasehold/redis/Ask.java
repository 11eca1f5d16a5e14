// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Requests for tests, and answers without stages around them. */
final class Ask {

    private static final AtomicLong IDS = new AtomicLong();
    private static final Duration TTL = Duration.ofSeconds(20);

    private Ask() {}

    static LeaseRequest request(Claim claim) {
        return LeaseRequest.of(
                new LeaseId(4711, IDS.incrementAndGet()), claim, new Holder("tester"), TTL);
    }

    static LeaseRequest request(String name) {
        return request(Claim.exclusive(Scope.name(name)));
    }

    static Grant granted(LeaseStore store, LeaseRequest request) {
        return granted(answer(store.acquire(request)));
    }

    static Grant granted(Acquisition answer) {
        if (answer instanceof Acquisition.Granted granted) {
            return granted.grant();
        }
        throw new AssertionError("not granted: " + answer);
    }

    /** The answer; what the stage failed with is thrown as it is. */
    static <T> T answer(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException reason) {
                throw reason;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError("no answer", e);
        }
    }
}
