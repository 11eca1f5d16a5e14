// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseRequest;

import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Makes the requests of one thread. Everything in them but the id is shared, and ids come from a cheap generator:
 * minting them is the client's business and not the engine's.
 */
final class Requests {

    /** How long the leases live that are acquired, renewed and released all the time. */
    static final Duration TTL = Duration.ofSeconds(30);

    /** How long those live that only have to be there. */
    static final Duration LONG_TTL = Duration.ofHours(24);

    private static final Holder HOLDER = new Holder("benchmark");

    private final SplittableRandom random;
    private final LeaseRequest.Terms terms;

    private Requests(long seed, Duration ttl, Duration wait) {
        this.random = new SplittableRandom(seed);
        this.terms = new LeaseRequest.Terms(
                ttl, wait, Duration.ZERO, Optional.empty(), Optional.empty());
    }

    /** Requests that are answered at once. Different seeds give different ids. */
    static Requests of(long seed, Duration ttl) {
        return new Requests(seed, ttl, Duration.ZERO);
    }

    /** Requests that queue for as long as they may. */
    static Requests waiting(long seed) {
        return new Requests(seed, TTL, Duration.ofMinutes(1));
    }

    LeaseRequest next(Claim claim) {
        LeaseId id = new LeaseId(random.nextLong(), random.nextLong());
        return new LeaseRequest(id, claim, HOLDER, terms);
    }

    /** {@code orders/0000001} for 1: a new string each time. */
    static String name(int number) {
        String digits = Integer.toString(number);
        return "orders/" + "0".repeat(Math.max(0, 7 - digits.length())) + digits;
    }

    static Claim named(int number) {
        return Claim.exclusive(Scope.name(name(number)));
    }
}
