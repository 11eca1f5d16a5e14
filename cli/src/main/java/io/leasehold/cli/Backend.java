// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.spi.LeaseStore;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** What a command works on: a server, or an engine in this process. */
interface Backend extends AutoCloseable {

    /**
     * Who answers.
     *
     * @param version the server's; the command's own for an engine
     * @param guarantees what the engine promises
     * @param stopping whether nothing more is granted
     * @param clockStep how far the wall clock has moved away from the monotonic one
     * @param storeId the id of the namespace's store; empty if nobody has used it yet
     */
    record Info(
            String version,
            Guarantees guarantees,
            boolean stopping,
            Duration clockStep,
            String storeId) {}

    /** The namespace in question. */
    LeaseStore store();

    /** Asks who answers; once more each time. */
    Info info();

    /** Ends the lease of somebody else; the comment is for the audit log, where there is one. */
    Ending forceRelease(Scope scope, FencingToken token, String comment);

    /**
     * Tells what happens, on this thread or another, until this is closed. Does not return before.
     *
     * @param interrupted is told when events may be missing because the connection broke
     */
    void watch(
            Optional<Scope> overlapping,
            Consumer<LeaseEvent> listener,
            Consumer<LeaseholdException> interrupted);

    @Override
    void close();
}
