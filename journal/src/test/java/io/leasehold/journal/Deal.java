// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.LeaseRecord;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Validity;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One request for a lease, and what its caller knows of it from the answers that it got. */
final class Deal {

    final LeaseRequest request;

    @Nullable
    Grant grant; // the last that was answered

    long heldUntil = Long.MIN_VALUE; // the lease lasts until then at least
    long version;
    boolean refused; // it was answered, and not by a lease
    boolean over; // its end was answered
    boolean endInDoubt; // its end was asked for
    boolean isReleased; // and it was by a release
    boolean rotationInDoubt;
    boolean waits; // its request, or a change of the lease, was not answered yet
    Optional<Completion> completion = Optional.empty(); // that was asked for

    /** How a lease was completed, and when that was asked for. */
    record Completion(LeaseRecord record, Duration keepFor, long asked) {

        /** Whether its record must be there if the lease is not. */
        boolean isKept(long now) {
            return asked + keepFor.toNanos() > now;
        }
    }

    private long keptFrom = Long.MIN_VALUE;

    Deal(LeaseRequest request) {
        this.request = request;
    }

    String label() {
        return request.holder().label();
    }

    /** Nobody has asked for its end. */
    boolean isRunning() {
        return grant != null && !over && !endInDoubt && !refused;
    }

    /** Whether its caller may rely on it. */
    boolean isSurelyHeld(long now) {
        return isRunning() && now < heldUntil;
    }

    /** Whether its record must be there, if nobody left another in its place. */
    boolean isSurelyKept(long now) {
        return over
                && completion
                        .filter(completed -> keptFrom + completed.keepFor.toNanos() > now)
                        .isPresent();
    }

    void ended(long now) {
        over = true;
        waits = false;
        keptFrom = now;
    }

    void extended(long newVersion, Validity validity, long now) {
        assertThat(newVersion).as("version of %s", label()).isGreaterThan(version);
        repeated(newVersion, validity, now);
    }

    void repeated(long sameVersion, Validity validity, long now) {
        assertThat(sameVersion).as("version of %s", label()).isGreaterThanOrEqualTo(version);
        version = sameVersion;
        heldUntil = Math.max(heldUntil, now + validity.remaining().toNanos());
    }

    /** Its process is gone: what was not answered is not known. */
    void crashed() {
        waits = false;
    }

    Grant surely() {
        if (grant == null) {
            throw new AssertionError(label() + " has no grant");
        }
        return grant;
    }
}
