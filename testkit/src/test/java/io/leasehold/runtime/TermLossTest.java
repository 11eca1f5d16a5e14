// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Election;
import io.leasehold.ElectionOptions;
import io.leasehold.Term;
import io.leasehold.guard.Admission;
import io.leasehold.model.LeaseLostException;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A leader learns of the end of its term by its own clock. */
final class TermLossTest {

    private final World world = World.create();
    private final Node alice =
            Node.working(world, "alice", world.time, World.PATIENCE, Duration.ofHours(1));

    @AfterEach
    void close() {
        alice.heal();
        Node.closeWithoutWaiting(alice.leasehold);
    }

    private Term elected() {
        return campaign().term().orElseThrow();
    }

    private Election campaign() {
        ElectionOptions options = ElectionOptions.defaults().withTtl(World.TTL);
        return alice.leasehold.election("billing", options, term -> {});
    }

    @Test
    void aTermIsALeaseOfTheOffice() {
        Term term = elected();
        Scope office = Scope.name("billing");
        assertThat(term.token()).isEqualTo(world.tokenInStore());
        assertThat(term.remaining()).isEqualTo(World.TRUSTED);
        assertThat(term.admission(office)).isEqualTo(Admission.of(term.token(), office));
        assertThatThrownBy(() -> term.admission(Scope.name("other")))
                .isInstanceOf(ScopeMismatchException.class);
        assertThat(term.toString()).contains("billing", "token=1", "holder=alice");
        term.ensureValid();
    }

    @Test
    void aTermThatIsOverIsNotShownThoughItsBodyHasNotReturned() {
        Election election = campaign();
        Term term = election.term().orElseThrow();
        alice.network.cutOff(true);
        world.pass(World.TRUSTED);
        assertThat(election.term()).isEmpty();
        assertThat(term.remaining()).isZero();
        assertThatThrownBy(term::ensureValid).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void whoeverAsksAfterTheLossIsToldAtOnce() {
        Term term = elected();
        alice.network.cutOff(true);
        world.pass(World.TRUSTED);
        List<String> told = new ArrayList<>();
        term.onLost(loss -> told.add(loss.getMessage()));
        assertThat(told).hasSize(1);
    }

    @Test
    void onLostComesAtTheLocalDeadlineWhenTheStoreStillHasTheTerm() {
        Term term = elected();
        List<Integer> inStore = new ArrayList<>();
        term.onLost(loss -> inStore.add(world.leases().size()));
        alice.network.cutOff(true);

        world.pass(World.TRUSTED.minusMillis(1));
        assertThat(term.isValid()).isTrue();
        assertThat(inStore).isEmpty();
        world.passMillis(1);

        assertThat(term.isValid()).isFalse();
        assertThat(inStore).containsExactly(1);
    }

    @Test
    void resigningIsNoLoss() {
        Term term = elected();
        List<String> told = new ArrayList<>();
        term.onLost(loss -> told.add("lost"));

        term.resign();
        world.pass(World.TTL.multipliedBy(2));

        assertThat(told).isEmpty();
        assertThat(world.leases()).isEmpty();
    }

    @Test
    void theTermIsRenewedWhileTheBodyRuns() {
        Term term = elected();

        world.pass(World.TTL.multipliedBy(10));

        assertThat(term.isValid()).isTrue();
        assertThat(world.tokenInStore()).isEqualTo(term.token());
    }
}
