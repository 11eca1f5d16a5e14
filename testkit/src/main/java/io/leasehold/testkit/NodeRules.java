// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseEvent.Change;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeAdmission;
import io.leasehold.spi.NodeStanding;
import io.leasehold.spi.NodeStanding.Membership;
import io.leasehold.spi.Polled;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Raising;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Round;
import io.leasehold.spi.TokenState;
import io.leasehold.table.TableOptions;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What the groups of rules for a node of a quorum share: a fresh node, which is the second of three
 * and so draws 1, 4, 7 and so on, and requests to it.
 */
abstract class NodeRules {

    static final Membership MEMBERSHIP = new Membership("q", 3, 1);
    static final Duration TTL = Duration.ofMinutes(10);

    /** The ttl of a lease that is to run out; really waited for where the clock is foreign. */
    static final Duration BRIEF = Duration.ofMillis(200);

    static final Duration LOCK_DELAY = Duration.ofMinutes(1);
    static final Ending ENDED = new Ending.Ended();
    static final Raising RAISED = new Raising.Raised();
    static final Raising MISMATCH = new Refused(RefusalReason.TOKEN_MISMATCH);
    static final Acquisition GONE = new Acquisition.Gone(RefusalReason.NOT_FOUND);
    static final Round FIRST = new Round(1, 17);
    static final Round SECOND = new Round(2, 17);
    static final Round OF_ANOTHER = new Round(2, 4);

    private final BlockingQueue<LeaseEvent> events = new LinkedBlockingQueue<>();
    private StoreUnderTest opened;
    private long ids;

    /** The node's own test class. */
    abstract QuorumNodeContract contract();

    @BeforeEach
    final void openNode() {
        opened = contract().open(TableOptions.defaults());
    }

    @AfterEach
    final void closeNode() {
        opened.close();
    }

    /** Replaces the node by one with other bounds. */
    final void reopen(TableOptions options) {
        opened.close();
        opened = contract().open(options);
    }

    final QuorumNode node() {
        return (QuorumNode) opened.store();
    }

    /** Lets the brief ttl pass, and a little more where the clock is foreign and may be slower. */
    final void passBrief() {
        boolean foreign = !contract().tolerance().isZero();
        opened.pass(foreign ? BRIEF.multipliedBy(3).dividedBy(2) : BRIEF);
    }

    /** Whether so much is left of a span, or less where the clock is foreign. */
    final void assertLeft(Duration actual, Duration expected) {
        assertThat(actual).isBetween(expected.minus(contract().tolerance()), expected);
    }

    // ---- who it is

    final NodeStanding standing() {
        return Answers.of(node().standing());
    }

    final long counter() {
        return standing().counter();
    }

    /** Admits the node, or raises the counter of one that was admitted. */
    final NodeStanding admit(long floor) {
        return admit(MEMBERSHIP, standing().generation(), floor);
    }

    final NodeStanding admit(Membership membership, long generation, long floor) {
        return Answers.of(node().admit(new NodeAdmission(membership, generation, floor)));
    }

    // ---- requests

    final LeaseRequest request(String name) {
        return request(Claim.exclusive(Scope.name(name)), TTL);
    }

    final LeaseRequest shared(String name) {
        return request(Claim.shared(Scope.name(name)), TTL);
    }

    final LeaseRequest brief(String name) {
        return request(Claim.exclusive(Scope.name(name)), BRIEF);
    }

    final LeaseRequest briefShared(String name) {
        return request(Claim.shared(Scope.name(name)), BRIEF);
    }

    private LeaseRequest request(Claim claim, Duration ttl) {
        return LeaseRequest.of(new LeaseId(1, ++ids), claim, new Holder("x"), ttl);
    }

    static FencingToken token(long value) {
        return new FencingToken(value);
    }

    /** A grant of the request as a node would give it under the token. */
    static Grant grantOf(LeaseRequest request, long token) {
        return new Grant(
                new Holding(request.claim(), request.holder(), token(token)),
                request.id(),
                request.terms().ttl());
    }

    // ---- what it is asked

    final Polled<Acquisition> poll(LeaseRequest request, Round round) {
        return Answers.of(node().acquire(request, round));
    }

    final Acquisition acquire(LeaseRequest request, Round round) {
        return poll(request, round).answer();
    }

    /** Sends a request that is expected to queue. */
    final Pending queue(LeaseRequest request, Round round) {
        Pending pending = new Pending(
                node().acquire(request.waitingAtMost(TTL), round).thenApply(Polled::answer));
        settle();
        pending.assertQueued();
        return pending;
    }

    /** Returns when every request sent so far has reached the node. */
    final void settle() {
        NodeStanding unused = standing();
        opened.settle();
    }

    final Grant grant(LeaseRequest request) {
        return granted(acquire(request, FIRST)).grant();
    }

    static Granted granted(Acquisition answer) {
        assertThat(answer).isInstanceOf(Granted.class);
        return (Granted) answer;
    }

    static void assertHeld(Acquisition answer) {
        assertThat(answer).isInstanceOf(Acquisition.Held.class);
    }

    /** What the node tells of the lease when it is asked for again in the first round. */
    final TokenState state(LeaseRequest request) {
        return poll(request, FIRST).state();
    }

    final Raising raise(Grant grant, FencingToken to, Round round) {
        return Answers.of(node().raise(grant, to, round));
    }

    final Acquisition restore(LeaseRequest request, FencingToken token) {
        return Answers.of(node().restore(request, token));
    }

    final Polled<Rotation> rotate(Grant grant, Round round) {
        return Answers.of(node().rotate(grant, round));
    }

    final Grant rotated(Grant grant, Round round) {
        Rotation answer = rotate(grant, round).answer();
        assertThat(answer).isInstanceOf(Rotation.Rotated.class);
        return ((Rotation.Rotated) answer).grant();
    }

    final void retract(LeaseRequest request, Round round) {
        assertThat(Answers.of(node().retract(request, round))).isEqualTo(ENDED);
    }

    // ---- what it tells

    /** Begins to note what the node tells. */
    final LeaseEvents.Subscription listen() {
        LeaseEvents.Subscription subscription = node().subscribe(events::add);
        settle();
        return subscription;
    }

    final void expect(Change change, Grant grant) throws InterruptedException {
        assertThat(events.poll(10, TimeUnit.SECONDS))
                .isEqualTo(new LeaseEvent.Changed(change, grant.holding()));
    }
}
