// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.access.Permission;
import io.leasehold.server.access.Principal;
import io.leasehold.spi.LeaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AcquireRoomTest {

    private static final LeaseRequest LARGE = LeaseRequest.of(
                    new LeaseId(0, 1),
                    Claim.exclusive(Scope.name("lock")),
                    new Holder("test"),
                    Duration.ofSeconds(30))
            .withRecord(LeaseRecord.of(new byte[LeaseRecord.MAX_BYTES]));
    private static final long MOST = 100L * LeaseRecord.MAX_BYTES;

    private final AcquireRoom room = new AcquireRoom(MOST);

    private record Named(String name, boolean isAnyone) implements Principal {
        @Override
        public boolean may(Permission permission, String namespace) {
            return true;
        }

        @Override
        public boolean mayEverywhere(Permission permission) {
            return true;
        }
    }

    private AcquireRoom.Place take(String name) {
        return room.take(new Caller(new Named(name, false), new Delivery()), LARGE);
    }

    private List<AcquireRoom.Place> takeAll(String name) {
        List<AcquireRoom.Place> places = new ArrayList<>();
        try {
            while (true) {
                places.add(take(name));
            }
        } catch (CallFailedException e) {
            assertThat(e.failure().getKind()).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
            return places;
        }
    }

    @Test
    void recordsOfAcquiresThatWaitAreBoundedAndAPrincipalKeepsOutNobodyElse() {
        assertThat(takeAll("crowd").size()).isBetween(30, 49);
        assertThatThrownBy(() -> take("crowd")).hasMessageContaining("of crowd");
        assertThat(takeAll("other").size()).isBetween(30, 49);
        takeAll("third");
        assertThat(room.taken()).isBetween(MOST * 9 / 10, MOST);
    }

    @Test
    void roomIsGivenBackOnce() {
        List<AcquireRoom.Place> places = takeAll("crowd");
        places.forEach(AcquireRoom.Place::free);
        places.forEach(AcquireRoom.Place::free);
        assertThat(room.taken()).isZero();
        assertThat(takeAll("crowd")).hasSameSizeAs(places);
    }

    @Test
    void anyoneIsEveryoneAndHasAllOfIt() {
        Caller anyone = new Caller(new Named("anyone", true), new Delivery());
        while (room.taken() + 100_000 < MOST) {
            var unused = room.take(anyone, LARGE);
        }
        assertThat(room.taken()).isGreaterThan(MOST * 9 / 10);
    }
}
