// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.Holding;
import io.leasehold.model.LeaseRecord;

import java.time.Duration;
import java.util.Optional;

/**
 * A lease, or a record that was left behind, as anyone may see it.
 *
 * @param holding who holds or held what under which token
 * @param state whether it is held or over
 * @param age how long ago it was granted, or completed
 * @param remaining how long it still lives, keeps others out, or is kept
 * @param waiters how many requests queue for its scopes; 0 for a record
 * @param record what the holder published or left
 */
public record LeaseView(
        Holding holding,
        State state,
        Duration age,
        Duration remaining,
        int waiters,
        Optional<LeaseRecord> record) {

    /** What is listed. */
    public enum State {
        /** A live lease. */
        HELD,
        /** A lease that expired, and whose lock-delay still keeps others out. Nobody holds it. */
        LOCK_DELAY,
        /** A record that a completed lease left behind. */
        COMPLETED
    }

    /** What is going on, for people: the state, told apart by the kind of the record. */
    public enum Status {
        /** Somebody holds a lock or an office. */
        HELD,
        /** Somebody is at work whose result others wait for. */
        RUNNING,
        /** Nobody holds it, but it is kept from others for a while after the holder's lease expired. */
        LOCK_DELAY,
        /** Work was done, or a record left. */
        COMPLETED,
        /** Work ended in an error that is remembered. */
        FAILED
    }

    public Status status() {
        LeaseRecord.Kind kind = record.map(LeaseRecord::kind).orElse(LeaseRecord.Kind.VALUE);
        return switch (state) {
            case HELD -> kind == LeaseRecord.Kind.RUNNING ? Status.RUNNING : Status.HELD;
            case LOCK_DELAY -> Status.LOCK_DELAY;
            case COMPLETED -> kind == LeaseRecord.Kind.FAILURE ? Status.FAILED : Status.COMPLETED;
        };
    }
}
