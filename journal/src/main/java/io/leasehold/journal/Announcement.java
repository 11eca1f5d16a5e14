// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.LeaseholdException;
import io.leasehold.spi.LeaseEvent;
import io.leasehold.table.Deliveries;

/**
 * An event that waits for the disk.
 *
 * @param event what listeners will be told, unless it never comes to disk
 */
record Announcement(LeaseEvent event) implements Outgoing {

    @Override
    public void send(Deliveries deliveries) {
        deliveries.on(event);
    }

    @Override
    public void fail(Deliveries deliveries, LeaseholdException reason) {}
}
