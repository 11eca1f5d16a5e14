// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard.file;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StaleTokenException;
import io.leasehold.model.StoreUnavailableException;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What a guarded file may hold by what its writers were told. One state per place, unless an
 * outcome is unknown.
 */
final class Ledger {

    /** A place's mark and value. */
    record State(long mark, int value) {}

    private final List<List<State>> places = new ArrayList<>();
    private final SplittableRandom random;
    private long newest = 1;
    private int lastValue;

    Ledger(int count, long seed) {
        this.random = new SplittableRandom(seed);
        for (int i = 0; i < count; i++) {
            places.add(new ArrayList<>(List.of(new State(0, 0))));
        }
    }

    /** Makes one random attempt and notes what came of it. */
    void step(Subject subject) {
        int place = random.nextInt(places.size());
        if (random.nextInt(3) == 0) {
            newest++;
        }
        long token = random.nextInt(4) == 0 ? 1 + random.nextLong(newest) : newest;
        if (random.nextInt(5) == 0) {
            attempt(place, token, 0, () -> subject.seal(token, place));
        } else {
            lastValue = 1 + lastValue % 250;
            int value = lastValue;
            attempt(place, token, value, () -> subject.write(token, place, value));
        }
    }

    /** A value of 0 leaves the value as it is. */
    void attempt(int place, long token, int value, Runnable attempt) {
        List<State> states = places.get(place);
        List<State> after = new ArrayList<>();
        for (State state : states) {
            if (state.mark() <= token) {
                after.add(new State(token, value == 0 ? state.value() : value));
            }
        }
        try {
            attempt.run();
            require(!after.isEmpty(), "accepted token " + token + " after " + states);
            states.clear();
            states.addAll(after);
        } catch (StaleTokenException e) {
            states.removeIf(state -> state.mark() <= token);
            require(!states.isEmpty(), "refused token " + token + " without reason");
        } catch (OutcomeUnknownException e) {
            states.addAll(after);
        } catch (StoreUnavailableException e) {
            require(e.getCause() != null, "unavailable without a cause");
        }
    }

    /** What is there is what may be there; an older token is refused. */
    void check(Subject subject) {
        for (int place = 0; place < places.size(); place++) {
            State found = new State(subject.mark(place), subject.value(place));
            require(
                    places.get(place).contains(found),
                    "place " + place + " is " + found + ", not one of " + places.get(place));
        }
    }

    /** Every mark is admitted once more, which makes certain what is there; older ones are not. */
    void settle(Subject subject) {
        check(subject);
        for (int place = 0; place < places.size(); place++) {
            long mark = subject.mark(place);
            int at = place;
            if (mark > 0) {
                State found = new State(mark, subject.value(place));
                subject.seal(mark, place);
                places.get(place).clear();
                places.get(place).add(found);
            }
            if (mark > 1) {
                attempt(place, mark - 1, 99, () -> subject.write(mark - 1, at, 99));
            }
        }
        check(subject);
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
