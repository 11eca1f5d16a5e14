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
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.testkit.RealTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
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

    @Test
    void noGrantThatWasAskedForBeforeAChangeIsTakenAfterIt() {
        try (MemoryLeaseStore engine = MemoryLeaseStore.create();
                SessionServer server = SessionServer.on(engine)) {
            server.info = InfoReply.newBuilder().setStoreId(OURS.toString()).build();
            List<Call> asked = new CopyOnWriteArrayList<>();
            server.handler = (call, answers) -> {
                asked.add(call);
                if (asked.size() == 2) {
                    answers.onNext(SessionServer.reply(asked.stream()
                            .map(one -> granted(OTHER, engine, one))
                            .toArray(Answer[]::new)));
                }
                return true;
            };
            try (RemoteLeaseStore store = RemoteLeaseStore.connect(server.address())) {
                CompletionStage<Acquisition> first = store.acquire(Asking.request("first"));
                CompletionStage<Acquisition> second = store.acquire(Asking.request("second"));
                assertThatThrownBy(() -> RealTime.answer(first))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("serves store " + OTHER);
                assertThatThrownBy(() -> RealTime.answer(second))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("nothing is acquired for another");
                RealTime.until("both are given back", () -> server.withdrawn.size() == 2);
                assertThat(server.withdrawn)
                        .extracting(AcquireRequest::getLeaseId)
                        .containsExactlyInAnyOrderElementsOf(asked.stream()
                                .map(call -> call.getAcquire().getLeaseId())
                                .toList());
            }
        }
    }

    private static boolean grantedBy(
            StoreId id, MemoryLeaseStore engine, Call call, StreamObserver<SessionReply> answers) {
        if (!call.hasAcquire()) {
            return false;
        }
        answers.onNext(SessionServer.reply(granted(id, engine, call)));
        return true;
    }

    private static Answer granted(StoreId id, MemoryLeaseStore engine, Call call) {
        AcquireReply granted = ToWire.acquisition(
                RealTime.answer(engine.acquire(FromWire.acquire(call.getAcquire()))));
        return Answer.newBuilder()
                .setId(call.getId())
                .setAcquired(granted.toBuilder().setStoreId(id.toString()))
                .build();
    }
}
