// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A mark that another server of the same store raises at the same time. */
final class HostedMarksTest {

    private static final Scope RESOURCE = Scope.name("printer");

    private final VirtualTime time = VirtualTime.create();
    private final LeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
    private final HostedGuards guards = new HostedGuards(new Random(1));

    @Test
    void aTokenThatWasOvertakenWhileItsMarkWasBusyIsStale() {
        Grant other = busy();
        CompletableFuture<AdmitReply> reply = admit(5);
        assertThat(reply).isNotDone();

        assertThat(store.complete(other, LeaseRecord.of("7"), Duration.ofHours(1)))
                .isCompletedWithValue(new Ending.Ended());

        assertThat(reply.join().hasStale()).isTrue();
        assertThat(reply.join().getMark()).isEqualTo(7);
        assertThat(admit(6).join().hasStale()).isTrue();
    }

    @Test
    void aTokenThatWasNotIsAdmitted() {
        Grant other = busy();
        CompletableFuture<AdmitReply> reply = admit(8);
        assertThat(store.complete(other, LeaseRecord.of("7"), Duration.ofHours(1)))
                .isCompletedWithValue(new Ending.Ended());
        assertThat(reply.join().hasAdmitted()).isTrue();
        assertThat(admit(7).join().getMark()).isEqualTo(8);
    }

    private CompletableFuture<AdmitReply> admit(long token) {
        return guards.admit(store, RESOURCE, new FencingToken(token)).toCompletableFuture();
    }

    private Grant busy() {
        LeaseRequest request = LeaseRequest.of(
                new LeaseId(0, 1),
                Claim.exclusive(RESOURCE),
                new Holder("another server"),
                Duration.ofSeconds(5));
        Acquisition answer = store.acquire(request).toCompletableFuture().join();
        return ((Acquisition.Granted) answer).grant();
    }
}
