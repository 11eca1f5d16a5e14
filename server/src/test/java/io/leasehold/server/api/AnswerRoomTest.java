// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.leasehold.model.LeaseRecord;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.access.Permission;
import io.leasehold.server.access.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Who gets room for listings when there is little of it. */
final class AnswerRoomTest {

    private static final long LARGE = Pages.MOST_BYTES;
    private static final long RECORD = LeaseRecord.MAX_BYTES;

    /** Has room for three listings of unknown size, and for one of each principal. */
    private final AnswerRoom room =
            new AnswerRoom(new OperationsOptions.Reads(8, 0), Runnable::run);

    private record Named(String name) implements Principal {
        @Override
        public boolean may(Permission permission, String namespace) {
            return true;
        }

        @Override
        public boolean mayEverywhere(Permission permission) {
            return true;
        }
    }

    /** A listing of so many bytes whose answer is there at once if there is room. */
    private CompletableFuture<Long> list(String principal, Delivery sent, long bytes) {
        return room.answer(
                        new Caller(new Named(principal), sent),
                        () -> CompletableFuture.completedStage(bytes),
                        size -> size)
                .toCompletableFuture();
    }

    @Test
    void aReaderWhoReadsNoneOfItsAnswersKeepsNobodyElseOut() {
        Delivery first = new Delivery();
        assertThat(list("a", first, LARGE)).isCompleted();
        CompletableFuture<Long> second = list("a", new Delivery(), LARGE);
        assertThat(second).isNotDone();
        assertThat(list("b", new Delivery(), LARGE)).isCompleted();

        first.delivered();
        assertThat(second).isCompleted();
    }

    @Test
    void listingsOfWhichLittleCameTakeLittle() {
        for (int i = 0; i < 1_000; i++) {
            assertThat(list("a", new Delivery(), 10)).isCompleted();
        }
    }

    @Test
    void roomIsGivenBackOnceTheAnswerWasSentOrCantBe() {
        Delivery sent = new Delivery();
        Delivery lost = new Delivery();
        Delivery gone = new Delivery();
        assertThat(list("a", sent, LARGE)).isCompleted();
        CompletableFuture<Long> never = list("a", gone, LARGE);
        gone.lost();
        assertThat(never).isCompletedExceptionally();
        assertThat(list("b", lost, LARGE)).isCompleted();
        assertThat(room.taken()).isEqualTo(6 * LARGE);

        sent.delivered();
        lost.lost();
        assertThat(room.taken()).isZero();
    }

    @Test
    void roomIsTakenUntilTheStoreHasAnsweredThoughNobodyWaitsAnyMore() {
        Delivery delivery = new Delivery();
        CompletableFuture<Long> store = new CompletableFuture<>();
        CompletionStage<Long> reply =
                room.answer(new Caller(new Named("a"), delivery), () -> store, size -> size);
        delivery.lost();
        assertThat(room.taken()).isEqualTo(AnswerRoom.RESERVED);
        store.completeExceptionally(new IllegalStateException("as the test says"));
        assertThat(room.taken()).isZero();
        assertThat(reply.toCompletableFuture()).isCompletedExceptionally();
    }

    @Test
    void aReadForWhichThereIsNoThreadFailsAndGivesItsRoomBack() {
        AnswerRoom starved = new AnswerRoom(new OperationsOptions.Reads(8, 0), task -> {
            throw new InternalError("no thread can be had");
        });
        CompletionStage<Long> reply = starved.answer(
                new Caller(new Named("a"), new Delivery()),
                () -> CompletableFuture.completedStage(LARGE),
                size -> size);
        assertThat(reply.toCompletableFuture())
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(CallFailedException.class);
        assertThat(starved.taken()).isZero();
    }

    @Test
    void whoLetsTooManyWaitIsToldToTryAgainLater() {
        assertThat(list("a", new Delivery(), LARGE)).isCompleted();
        assertThat(list("a", new Delivery(), LARGE)).isNotDone();
        assertThat(list("a", new Delivery(), LARGE)).isNotDone();
        CallFailedException refusal = catchThrowableOfType(
                CallFailedException.class, () -> list("a", new Delivery(), LARGE));
        assertThat(refusal.failure().getKind()).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        assertThat(list("b", new Delivery(), LARGE)).isCompleted();
    }

    @Test
    void ofLargeRepliesThatNobodyReadsAsManyAreGivenBackAsThereIsRoomFor() {
        List<Delivery> sent = new ArrayList<>();
        List<CompletableFuture<Long>> replies = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            sent.add(new Delivery());
            replies.add(keep("a", sent.get(i)));
        }
        assertThat(replies).filteredOn(CompletableFuture::isDone).hasSize(32);
        assertThat(keep("b", new Delivery())).isCompleted();
        assertThat(room.taken()).isEqualTo(33 * 3 * RECORD);

        sent.get(0).delivered();
        sent.get(1).lost();
        assertThat(replies).filteredOn(CompletableFuture::isDone).hasSize(34);

        sent.forEach(Delivery::delivered);
        assertThat(replies).allSatisfy(reply -> assertThat(reply).isDone());
        assertThat(room.taken()).isEqualTo(3 * RECORD);
    }

    @Test
    void repliesThatMayWaitAreBounded() {
        for (int i = 0; i < 32 + 96; i++) {
            CompletableFuture<Long> unused = keep("a", new Delivery());
        }
        CallFailedException refusal =
                catchThrowableOfType(CallFailedException.class, () -> keep("a", new Delivery()));
        assertThat(refusal.failure().getKind()).isEqualTo(Failure.Kind.LIMIT_EXCEEDED);
        assertThat(keep("b", new Delivery())).isCompleted();
    }

    @Test
    void thoseWhoWaitTakeTurns() {
        assertThat(list("a", new Delivery(), LARGE)).isCompleted();
        assertThat(list("b", new Delivery(), LARGE)).isCompleted();
        assertThat(list("c", new Delivery(), LARGE)).isCompleted();
        List<Delivery> sent = new ArrayList<>();
        List<CompletableFuture<Long>> ofA = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            sent.add(new Delivery());
            ofA.add(keep("a", sent.get(i)));
        }
        CompletableFuture<Long> ofD = keep("d", new Delivery());
        assertThat(ofA).filteredOn(CompletableFuture::isDone).hasSize(16);
        assertThat(ofD).isNotDone();

        sent.get(0).delivered();
        sent.get(1).delivered();
        assertThat(ofD).as("though 34 of a had asked before").isCompleted();
    }

    /** A reply that tells of a record of the largest size. */
    private CompletableFuture<Long> keep(String principal, Delivery sent) {
        return room.keep(new Caller(new Named(principal), sent), RECORD, RECORD)
                .toCompletableFuture();
    }
}
