// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.stub.StreamObserver;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.FromWire;
import io.leasehold.protocol.ToWire;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A server that is another store in the midst of a session. */
final class OtherStoreAnswersTest {

    private static final StoreId OURS = new StoreId(1, 1);
    private static final StoreId OTHER = new StoreId(2, 2);
    private static final LeaseId ID = new LeaseId(7, 7);

    private static LeaseRequest request(LeaseId id) {
        return LeaseRequest.of(
                id, Claim.exclusive(Scope.name("ledger")), new Holder("me"), Duration.ofMinutes(1));
    }

    @Test
    void aGrantOfAnotherStoreIsNotTakenAndGivenBack() {
        try (MemoryLeaseStore engine = MemoryLeaseStore.create();
                SessionServer server = SessionServer.on(engine)) {
            server.info = InfoReply.newBuilder().setStoreId(OURS.toString()).build();
            server.handler = (call, answers) -> grantedBy(OTHER, engine, call, answers);
            try (RemoteLeaseStore store = RemoteLeaseStore.connect(server.address())) {
                List<StoreId> told = new CopyOnWriteArrayList<>();
                try (var unused = store.onStoreChange(told::add)) {
                    assertThat(RealTime.answer(store.storeId())).isEqualTo(OURS);
                    server.info =
                            InfoReply.newBuilder().setStoreId(OTHER.toString()).build();
                    assertThatThrownBy(() -> RealTime.answer(store.acquire(request(ID))))
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("serves store " + OTHER)
                            .hasMessageContaining("in store " + OURS);
                    RealTime.until("it is given back", () -> !server.withdrawn.isEmpty());
                    assertThat(server.withdrawn)
                            .extracting(back -> LeaseId.parse(back.getLeaseId()))
                            .containsExactly(ID);
                    assertThat(told).containsExactly(OTHER);
                    assertThatThrownBy(() ->
                                    RealTime.answer(store.acquire(request(new LeaseId(8, 8)))))
                            .isInstanceOf(StoreUnavailableException.class)
                            .hasMessageContaining("nothing is acquired for another");
                }
            }
        }
    }

    private static boolean grantedBy(
            StoreId id, MemoryLeaseStore engine, Call call, StreamObserver<SessionReply> answers) {
        if (!call.hasAcquire()) {
            return false;
        }
        AcquireReply granted = ToWire.acquisition(
                RealTime.answer(engine.acquire(FromWire.acquire(call.getAcquire()))));
        answers.onNext(SessionServer.reply(Answer.newBuilder()
                .setId(call.getId())
                .setAcquired(granted.toBuilder().setStoreId(id.toString()))
                .build()));
        return true;
    }
}
