// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.protocol.ToWire;
import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RotateReply;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Rotation;

import java.util.List;

/** Writes answers as replies that name the store. */
final class Replies {

    private Replies() {}

    static AcquireReply acquisition(Told<Acquisition> told) {
        return ToWire.acquisition(told.answer()).toBuilder()
                .setStoreId(told.store())
                .build();
    }

    /** The most that a reply tells of the lease or the record of somebody else; 0 for a grant. */
    static long bytesOfOthers(Acquisition acquisition) {
        if (acquisition instanceof Acquisition.Held held) {
            long scopes = held.blocker().claim().scopes().size();
            return scopes * Scope.MAX_BYTES
                    + held.record().map(LeaseRecord::size).orElse(0);
        }
        return acquisition instanceof Acquisition.Completed completed
                ? completed.record().size()
                : 0;
    }

    static RenewReply renewals(Told<List<Renewal>> told) {
        return ToWire.renewals(told.answer()).toBuilder()
                .setStoreId(told.store())
                .build();
    }

    static RotateReply rotation(Told<Rotation> told) {
        return ToWire.rotation(told.answer()).toBuilder()
                .setStoreId(told.store())
                .build();
    }

    static EndReply ending(Told<Ending> told) {
        return ToWire.ending(told.answer()).toBuilder().setStoreId(told.store()).build();
    }

    static AdmitReply admission(Told<AdmitReply> told) {
        return told.answer().toBuilder().setStoreId(told.store()).build();
    }

    static ListReply page(Told<ListReply> told) {
        return told.answer().toBuilder().setStoreId(told.store()).build();
    }

    static CheckReply check(Told<CheckReply> told) {
        return told.answer().toBuilder().setStoreId(told.store()).build();
    }
}
