// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.RefusalReason;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.Refused;
import io.leasehold.table.TableOptions;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the groups of contract tests share: a fresh store with three clients, and the passing of time. */
abstract class ContractRules {

    static final Ending ENDED = new Ending.Ended();

    private StoreUnderTest opened;
    Client alice;
    Client bob;
    Client carol;

    /** The engine's own test class. */
    abstract LeaseStoreContract contract();

    @BeforeEach
    final void openStore() {
        use(contract().open(TableOptions.defaults()));
    }

    @AfterEach
    final void closeStore() {
        opened.close();
    }

    /** Replaces the store by one with other bounds. */
    final void reopen(TableOptions options) {
        opened.close();
        use(contract().open(options));
    }

    private void use(StoreUnderTest store) {
        SplittableRandom ids = new SplittableRandom(42);
        opened = store;
        alice = new Client("alice", store, ttl(), ids);
        bob = new Client("bob", store, ttl(), ids);
        carol = new Client("carol", store, ttl(), ids);
    }

    /** One more client, who may carry the label of another. */
    final Client anotherClient(String label) {
        return new Client(label, opened, ttl(), new SplittableRandom(7));
    }

    final LeaseStore store() {
        return opened.store();
    }

    // ---- time

    final Duration ttl() {
        return contract().ttl();
    }

    final void pass(Duration span) {
        opened.pass(span);
    }

    /** Lets the span pass but for the least that the engine can tell apart. */
    final void passJustNot(Duration span) {
        opened.pass(span.minus(slack()));
    }

    /** Lets the rest of that span pass. */
    final void passTheRest() {
        opened.pass(slack().plus(contract().tolerance()));
    }

    /** Lets the span pass and as much more as the engine may be off. */
    final void passAllOf(Duration span) {
        opened.pass(span.plus(contract().tolerance()));
    }

    private Duration slack() {
        Duration tolerance = contract().tolerance();
        return tolerance.isZero() ? Duration.ofNanos(1) : tolerance;
    }

    /** Whether the two lengths are the same as far as the engine can tell. */
    final void assertClose(Duration actual, Duration expected) {
        Duration tolerance = contract().tolerance();
        assertThat(actual).isBetween(expected.minus(tolerance), expected.plus(tolerance));
    }

    // ---- answers

    static Refused refused(RefusalReason reason) {
        return new Refused(reason);
    }

    static Acquisition gone(RefusalReason reason) {
        return new Acquisition.Gone(reason);
    }

    static void assertHeldBy(Grant holder, Acquisition answer) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        Acquisition.Held.class,
                        held -> assertThat(held.blocker()).isEqualTo(holder.holding()));
    }

    static void assertHeld(Acquisition answer) {
        assertThat(answer).isInstanceOf(Acquisition.Held.class);
    }

    final void assertFree(String name) {
        Grant probe = carol.holds(name);
        assertThat(carol.releases(probe)).isEqualTo(ENDED);
    }

    final List<LeaseView> listed() {
        return alice.lists(LeaseQuery.all()).leases();
    }
}
