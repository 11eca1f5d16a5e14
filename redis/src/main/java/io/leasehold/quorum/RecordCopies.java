// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeRecord;
import io.leasehold.spi.NodeStanding;
import io.leasehold.spi.QuorumNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Copies records from node to node, so that a majority has a record as long as it is kept.
 *
 * <p>A node that forgot gets all records of a majority before it is admitted, a page at a time. And
 * a record that was read from fewer than a majority is given to one before it is answered.
 */
final class RecordCopies {

    private final Members members;

    RecordCopies(Members members) {
        this.members = members;
    }

    // ---- a record that was read

    /**
     * Completes when a majority has the record with this token at a scope of the request.
     *
     * @param having who has it, as far as is known
     */
    CompletableFuture<Boolean> writeBack(
            LeaseRequest request, FencingToken token, Set<Member> having) {
        Member source = having.iterator().next();
        List<CompletableFuture<Optional<NodeRecord>>> reads = new ArrayList<>();
        for (Scope scope : request.claim().scopes()) {
            reads.add(ask(source, node -> node.record(scope)));
        }
        return CompletableFuture.allOf(reads.toArray(CompletableFuture<?>[]::new))
                .thenCompose(done -> {
                    List<NodeRecord> records = new ArrayList<>();
                    for (CompletableFuture<Optional<NodeRecord>> read : reads) {
                        read.join()
                                .filter(record -> record.holding().token().equals(token))
                                .ifPresent(records::add);
                    }
                    if (records.isEmpty()) {
                        throw new StoreUnavailableException("the record is no longer kept");
                    }
                    return give(records, having);
                });
    }

    private CompletableFuture<Boolean> give(List<NodeRecord> records, Set<Member> having) {
        List<Member> others = new ArrayList<>(members.joined());
        others.removeAll(having);
        Ballot<NodeStanding, Boolean> ballot = new Ballot<>(
                members,
                votes -> {
                    if (votes.all().size() + having.size() >= members.majority()) {
                        return Boolean.TRUE;
                    }
                    if (votes.isComplete()) {
                        throw votes.noMajority("record");
                    }
                    return null;
                },
                (decision, vote) -> {});
        return ballot.ask(others, members.patience(), (node, member) -> node.keep(records));
    }

    // ---- all records

    /** Copies all records of a majority of the sources to a node; completes with that majority. */
    CompletableFuture<Set<Member>> copyAll(Collection<Member> sources, Member target) {
        Copy copy = new Copy(List.copyOf(sources), target);
        copy.next();
        return copy.result;
    }

    /** All records on their way to a node. Runs in its mailbox. */
    private final class Copy {

        private final Mailbox mailbox = new Mailbox();
        private final List<Member> sources;
        private final Member target;
        private final Set<Member> copied = new LinkedHashSet<>();
        private final CompletableFuture<Set<Member>> result = new CompletableFuture<>();
        private int source;
        private String cursor = NodeRecord.Page.FIRST;

        Copy(List<Member> sources, Member target) {
            this.sources = sources;
            this.target = target;
        }

        /** Asks the source for a page, unless there are enough. */
        void next() {
            mailbox.post(() -> {
                if (source == sources.size() || copied.size() == members.majority()) {
                    result.complete(copied);
                    return;
                }
                String from = cursor;
                CompletableFuture<NodeRecord.Page> unused = ask(
                                sources.get(source), node -> node.records(from))
                        .whenComplete((page, failure) -> mailbox.post(() -> arrived(page)));
            });
        }

        private void arrived(NodeRecord.@Nullable Page page) {
            if (page == null) {
                go(false); // another source may do
            } else if (page.records().isEmpty()) {
                turn(page);
            } else {
                CompletableFuture<NodeStanding> unused = ask(
                                target, node -> node.keep(page.records()))
                        .whenComplete((standing, failure) -> mailbox.post(() -> {
                            if (failure != null) {
                                result.completeExceptionally(failure);
                            } else if (standing.membership().isPresent()) {
                                result.complete(copied); // somebody else was faster
                            } else {
                                turn(page);
                            }
                        }));
            }
        }

        private void turn(NodeRecord.Page page) {
            if (page.next().isPresent()) {
                cursor = page.next().get();
                next();
            } else {
                go(true);
            }
        }

        /** Goes on to the next source. */
        private void go(boolean complete) {
            if (complete) {
                copied.add(sources.get(source));
            }
            source++;
            cursor = NodeRecord.Page.FIRST;
            next();
        }
    }

    private <T> CompletableFuture<T> ask(
            Member member, Function<QuorumNode, CompletionStage<T>> question) {
        Ballot<T, T> ballot = new Ballot<>(
                members,
                votes -> {
                    if (!votes.all().isEmpty()) {
                        return votes.all().get(0).answer();
                    }
                    if (votes.isComplete()) {
                        LeaseholdException none = votes.noMajority("records");
                        throw none;
                    }
                    return null;
                },
                (decision, vote) -> {});
        return ballot.ask(List.of(member), members.patience(), (node, one) -> question.apply(node));
    }
}
