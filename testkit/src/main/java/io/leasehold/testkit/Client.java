// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.TokenCheck;
import java.time.Duration;
import java.util.SplittableRandom;

/** A client in a contract test: mints requests from a seed, and returns the answers without stages around them. */
final class Client {

    private final Holder holder;
    private final StoreUnderTest opened;
    private final Duration ttl;
    private final SplittableRandom ids;

    Client(String label, StoreUnderTest opened, Duration ttl, SplittableRandom ids) {
        this.holder = new Holder(label);
        this.opened = opened;
        this.ttl = ttl;
        this.ids = ids;
    }

    Holder holder() {
        return holder;
    }

    // ---- requests

    LeaseRequest request(Claim claim) {
        return LeaseRequest.of(new LeaseId(ids.nextLong(), ids.nextLong()), claim, holder, ttl);
    }

    LeaseRequest request(String name) {
        return request(Claim.exclusive(Scope.name(name)));
    }

    LeaseRequest shared(String name) {
        return request(Claim.shared(Scope.name(name)));
    }

    /** Makes a request queue for longer than any test lasts. */
    LeaseRequest patient(LeaseRequest request) {
        return request.waitingAtMost(ttl.multipliedBy(10));
    }

    // ---- acquiring

    Acquisition tries(LeaseRequest request) {
        return Answers.of(opened.store().acquire(request));
    }

    Acquisition tries(String name) {
        return tries(request(name));
    }

    Acquisition tries(Claim claim) {
        return tries(request(claim));
    }

    /** Sends a request that is expected to queue. */
    Pending waits(LeaseRequest request) {
        Pending pending = new Pending(opened.store().acquire(request));
        opened.settle();
        return pending;
    }

    Pending waits(String name) {
        return waits(patient(request(name)));
    }

    Pending waits(Claim claim) {
        return waits(patient(request(claim)));
    }

    Acquisition.Granted obtains(LeaseRequest request) {
        Acquisition answer = tries(request);
        assertThat(answer).isInstanceOf(Acquisition.Granted.class);
        return (Acquisition.Granted) answer;
    }

    Grant holds(LeaseRequest request) {
        return obtains(request).grant();
    }

    Grant holds(String name) {
        return holds(request(name));
    }

    Grant holds(Claim claim) {
        return holds(request(claim));
    }

    // ---- the rest

    Ending withdraws(LeaseRequest request) {
        return Answers.of(opened.store().withdraw(request));
    }

    /** Takes back what nobody but the request's sender can rely on. */
    Ending withdrawsUnlessUsed(LeaseRequest request) {
        return Answers.of(opened.store().withdrawUnlessUsed(request));
    }

    Renewal renews(RenewalRequest request) {
        return Answers.of(opened.store().renew(request));
    }

    Renewal renews(Grant grant) {
        return renews(RenewalRequest.of(grant, ttl));
    }

    Rotation rotates(Grant grant) {
        return Answers.of(opened.store().rotate(grant));
    }

    Grant rotated(Grant grant) {
        Rotation answer = rotates(grant);
        assertThat(answer).isInstanceOf(Rotation.Rotated.class);
        return ((Rotation.Rotated) answer).grant();
    }

    Ending releases(Grant grant) {
        return Answers.of(opened.store().release(grant));
    }

    Ending forces(Scope scope, FencingToken token) {
        return Answers.of(opened.store().forceRelease(scope, token));
    }

    /** Ends another's lease by its name. */
    Ending forces(String name, Grant grant) {
        return forces(Scope.name(name), grant.token());
    }

    Ending completes(Grant grant, String result, Duration keepFor) {
        return Answers.of(opened.store().complete(grant, LeaseRecord.of(result), keepFor));
    }

    TokenCheck checks(Scope scope, FencingToken token) {
        return Answers.of(opened.store().check(scope, token));
    }

    LeasePage lists(LeaseQuery query) {
        return Answers.of(opened.store().list(query));
    }
}
