// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.Holding;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A record as one node of a quorum keeps it, to be copied to another.
 *
 * @param scope where it is kept, one of the scopes of the holding
 * @param holding who left it, under which token
 * @param record what was left
 * @param age how long ago it was left
 * @param keptFor how long it is still kept
 */
public record NodeRecord(
        Scope scope, Holding holding, LeaseRecord record, Duration age, Duration keptFor) {

    /**
     * A part of the records of a node.
     *
     * @param records a few dozen at most
     * @param next what to ask with for the next part; empty if this is the last
     */
    public record Page(List<NodeRecord> records, Optional<String> next) {

        /** What to ask with for the first part. */
        public static final String FIRST = "0";
    }
}
