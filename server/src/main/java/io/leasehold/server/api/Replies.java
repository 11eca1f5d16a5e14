// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

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
