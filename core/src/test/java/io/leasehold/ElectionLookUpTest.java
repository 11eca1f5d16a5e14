// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseStore;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whoever only asks who leads leaves nothing behind. */
final class ElectionLookUpTest {

    private final Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create());

    @Test
    void lookingUpALeaderLeavesNothingBehind() {
        for (int i = 0; i < 100; i++) {
            assertThat(leasehold.election("billing").leader()).isEmpty();
        }
        assertThat(leasehold.background).isEmpty();
        leasehold.close();
    }

    @Test
    void whatRunsInTheBackgroundIsForgottenWhenItIsClosed() {
        Observation observation = leasehold.election("billing").observe(leader -> {});
        Election candidate = leasehold.election("billing", term -> {});
        assertThat(leasehold.background).hasSize(2);
        observation.close();
        candidate.close();
        assertThat(leasehold.background).isEmpty();
        leasehold.close();
    }

    /** A store that tells no events, because it can't be reached. */
    private static LeaseStore withoutEvents(LeaseStore store) {
        return (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                new Class<?>[] {LeaseStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("subscribe")) {
                        throw new StoreUnavailableException("no events now");
                    }
                    return method.invoke(store, arguments);
                });
    }

    @Test
    void anObservationThatCouldNotBeginLeavesNothingBehind() {
        try (Leasehold deaf = Leasehold.on(withoutEvents(MemoryLeaseStore.create()))) {
            Election election = deaf.election("billing");
            assertThatThrownBy(() -> election.observe(leader -> {}))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessage("no events now");
            assertThat(deaf.background).isEmpty();
        }
    }

    @Test
    void whatBeginsWhileTheLeaseholdIsBeingClosedIsClosedToo() {
        List<String> closed = new ArrayList<>();
        Object part = new Object() {
            @Override
            public int hashCode() { // the last thing that is asked before it is added
                leasehold.close();
                return 1;
            }
        };
        assertThatThrownBy(() -> leasehold.closeAtEnd(part, () -> closed.add("part")))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(closed).containsExactly("part");
    }

    @Test
    void anObservationEndsWithItsLeasehold() {
        Election election = leasehold.election("billing");
        Observation observation = election.observe(leader -> {});
        leasehold.close();
        assertThat(observation.isClosed()).isTrue();
        assertThat(leasehold.background).isEmpty();
        assertThatThrownBy(() -> election.observe(leader -> {}))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(leasehold.background).isEmpty();
    }
}
