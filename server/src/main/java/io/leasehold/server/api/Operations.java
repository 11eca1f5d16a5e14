// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.AdmitRequest;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.protocol.v1.CheckRequest;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.ReleaseRequest;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RenewRequest;
import io.leasehold.protocol.v1.RotateReply;
import io.leasehold.protocol.v1.RotateRequest;
import io.leasehold.protocol.v1.WatchReply;
import io.leasehold.protocol.v1.WatchRequest;

import java.util.concurrent.CompletionStage;

/**
 * What the server does for its callers, whichever way they came in. Permissions and limits are
 * checked here, once. A call that has no reply fails with a {@link CallFailedException} and nothing
 * else. Never blocks: called on event loops. Thread-safe.
 */
public interface Operations {

    CompletionStage<AcquireReply> acquire(Caller caller, AcquireRequest request);

    CompletionStage<EndReply> withdraw(Caller caller, AcquireRequest request);

    CompletionStage<RenewReply> renew(Caller caller, RenewRequest request);

    CompletionStage<RotateReply> rotate(Caller caller, RotateRequest request);

    CompletionStage<EndReply> release(Caller caller, ReleaseRequest request);

    CompletionStage<EndReply> complete(Caller caller, CompleteRequest request);

    CompletionStage<ListReply> list(Caller caller, ListRequest request);

    CompletionStage<EndReply> forceRelease(Caller caller, ForceReleaseRequest request);

    CompletionStage<CheckReply> check(Caller caller, CheckRequest request);

    CompletionStage<AdmitReply> admit(Caller caller, AdmitRequest request);

    CompletionStage<AdmitReply> seal(Caller caller, AdmitRequest request);

    CompletionStage<InfoReply> info(Caller caller, InfoRequest request);

    /**
     * Begins a watch.
     *
     * @throws CallFailedException if the caller may not, or the request can't be read
     */
    Watch watch(Caller caller, WatchRequest request);

    /** A watch, read by one reader. What is not read is kept in common for all, and bounded. */
    interface Watch extends AutoCloseable {

        /**
         * The next event, as soon as there is one; a resync where events are missing. One call at a
         * time. Fails once the watch is closed.
         */
        CompletionStage<WatchReply> next();

        @Override
        void close();
    }
}
