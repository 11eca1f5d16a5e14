// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.protocol.ToWire;
import io.leasehold.protocol.v1.LeaseView;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.spi.LeasePage;

/** Listings as they are told. */
final class Pages {

    /** A page ends here, so that records can't make it larger than a message may be. */
    static final int MOST_BYTES = 1 << 20;

    private Pages() {}

    static ListReply write(LeasePage page) {
        ListReply.Builder reply = ListReply.newBuilder();
        int bytes = 0;
        for (var view : page.leases()) {
            LeaseView lease = ToWire.view(view);
            bytes += lease.getSerializedSize();
            if (bytes > MOST_BYTES && reply.getLeasesCount() > 0) {
                return reply.setMore(true).build();
            }
            reply.addLeases(lease);
        }
        return reply.setMore(page.more()).build();
    }
}
