// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.protocol.ToWire;
import io.leasehold.protocol.v1.LeaseView;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.spi.LeasePage;

/** Listings as they are told. */
final class Pages {

    /** A page ends here, so that records can't make it larger than a message may be. */
    private static final int MOST_BYTES = 1 << 20;

    private Pages() {}

    static ListReply write(LeasePage page) {
        ListReply reply = ToWire.page(page);
        if (reply.getSerializedSize() <= MOST_BYTES) {
            return reply;
        }
        ListReply.Builder shorter = ListReply.newBuilder().setMore(true);
        int bytes = 0;
        for (LeaseView lease : reply.getLeasesList()) {
            bytes += lease.getSerializedSize();
            if (bytes > MOST_BYTES && shorter.getLeasesCount() > 0) {
                break;
            }
            shorter.addLeases(lease);
        }
        return shorter.build();
    }
}
