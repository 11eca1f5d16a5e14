// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Mode;
import io.leasehold.table.End;
import io.leasehold.table.TableEntry.Phase;

import java.util.List;

/**
 * The numbers that stand for things in entries. An entry is four bytes of length, one of type, then
 * what the type says; the exact layout is in docs/engines/journal-format.md. A change to it is a new
 * version of the format.
 */
final class EntryFormat {

    /** More than any entry takes: a record, the claim it is about, a holder, numbers. */
    static final int MAX_LENGTH = 160 * 1024;

    static final int LEASED = 1;
    static final int ENDED = 2;
    static final int CLEARED = 3;
    static final int KEPT = 4;
    static final int ERASED = 5;
    static final int STARTED = 6;
    static final int STANDING = 7;
    static final int STANDING_OF_STORE = 8;
    static final int LEASED_AS_ASKED = 9;
    static final int ENDED_LEAVING = 10;

    // in this order in the files, for ever: only append
    static final List<Phase> PHASES = List.of(Phase.RUNNING, Phase.CARRIED_OVER, Phase.LINGERING);
    static final List<End> ENDS = List.of(End.RELEASED, End.COMPLETED, End.EXPIRED, End.WITHDRAWN);
    static final List<Mode> MODES = List.of(Mode.EXCLUSIVE, Mode.SHARED);
    static final List<LeaseRecord.Kind> KINDS =
            List.of(LeaseRecord.Kind.VALUE, LeaseRecord.Kind.RUNNING, LeaseRecord.Kind.FAILURE);

    static final int NO_RECORD = 255;

    // kinds of scopes
    static final int NAME = 1;
    static final int PATH = 2;
    static final int SUBTREE = 3;
    static final int INODE = 4;
    static final int RANGE = 5;

    private EntryFormat() {}
}
