// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryQuorumNode;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.spi.QuorumNode;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whatever is thrown on the way to a decision, whoever asked is answered. */
final class BallotTest {

    private final VirtualTime time = VirtualTime.create();
    private final List<QuorumNode> nodes = LongStream.range(0, 3)
            .<QuorumNode>mapToObj(i -> MemoryQuorumNode.create(TableOptions.defaults(), time, i))
            .toList();
    private final Members members =
            new Members(nodes, QuorumOptions.defaults(), time, Safeguards.ALL);

    private CompletableFuture<String> ask(Ballot<String, String> ballot) {
        return ballot.ask(
                members.all(),
                Duration.ofSeconds(1),
                (node, member) -> CompletableFuture.completedFuture("yes"));
    }

    @Test
    void aRuleThatThrowsAnErrorIsAnUnknownOutcome() {
        Ballot<String, String> ballot = new Ballot<>(
                members,
                votes -> {
                    throw new NoClassDefFoundError("com/example/Gone");
                },
                (decision, vote) -> {});

        CompletableFuture<String> result = ask(ballot);

        assertThat(result.<@Nullable Throwable>handle((decision, failure) -> failure))
                .isCompletedWithValueMatching(failure -> failure instanceof OutcomeUnknownException
                        && failure.getCause() instanceof NoClassDefFoundError);
    }

    @Test
    void anAftermathThatThrowsAnErrorKeepsNobodyFromTheDecision() {
        List<Integer> told = new ArrayList<>();
        Ballot<String, String> ballot = new Ballot<>(
                members, votes -> votes.isComplete() ? "done" : null, (decision, vote) -> {
                    told.add(vote.member().index);
                    throw new NoClassDefFoundError("com/example/Gone");
                });

        assertThat(ask(ballot)).isCompletedWithValue("done");
        assertThat(told).hasSize(3);
    }
}
