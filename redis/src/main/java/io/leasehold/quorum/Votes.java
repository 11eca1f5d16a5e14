// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What the members answered to one question so far. Guarded by whoever collects them. */
final class Votes<T> {

    /** An answer, and when its question was sent, by the clock of this process. */
    record Vote<T>(Member member, T answer, long sentAt) {}

    private final TreeMap<Integer, Vote<T>> answers = new TreeMap<>();
    private final List<LeaseholdException> failures = new ArrayList<>();
    private final int members;
    private boolean complete;

    /** Votes of a quorum with so many members. */
    Votes(int members) {
        this.members = members;
    }

    void add(Vote<T> vote) {
        answers.put(vote.member.index, vote);
    }

    void addFailure(LeaseholdException failure) {
        failures.add(failure);
    }

    /** Notes that no more will come. */
    void close() {
        complete = true;
    }

    boolean isComplete() {
        return complete;
    }

    int majority() {
        return members / 2 + 1;
    }

    List<Vote<T>> all() {
        return List.copyOf(answers.values());
    }

    @Nullable
    Vote<T> of(int member) {
        return answers.get(member);
    }

    int count(Predicate<? super T> which) {
        int count = 0;
        for (Vote<T> vote : answers.values()) {
            if (which.test(vote.answer)) {
                count++;
            }
        }
        return count;
    }

    int count(Class<?> type) {
        return count(type::isInstance);
    }

    boolean isMajority(Class<?> type) {
        return count(type) >= majority();
    }

    /** The answers of one type, in the order of the members. */
    <S> List<S> of(Class<S> type) {
        return answers.values().stream()
                .map(Vote::answer)
                .filter(type::isInstance)
                .map(type::cast)
                .toList();
    }

    /** Whether nothing happened anywhere, as far as the failures go. */
    private boolean nothingHappened() {
        return answers.isEmpty()
                && failures.stream().allMatch(each -> each instanceof StoreUnavailableException);
    }

    /** What to tell the caller when there is no majority for anything. */
    LeaseholdException noMajority(String what) {
        for (LeaseholdException failure : failures) {
            if (failure instanceof LimitExceededException) {
                return failure;
            }
        }
        String message = "no majority of the quorum: " + answers.size() + " of " + members
                + " nodes answered and do not agree about the " + what;
        @Nullable Throwable cause = failures.isEmpty() ? null : failures.get(0);
        return nothingHappened()
                ? new StoreUnavailableException(message, cause)
                : new OutcomeUnknownException(message, cause);
    }
}
