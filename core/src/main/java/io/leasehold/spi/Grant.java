// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;

import java.time.Duration;

/**
 * A lease as its holder knows it: the public facts and the secret. Renewal, rotation, release and
 * completion match all of it but the ttl.
 *
 * @param holding who holds what under which token
 * @param id the secret of the request that obtained it
 * @param ttl how long the lease lives from its grant or renewal, as granted
 */
public record Grant(Holding holding, LeaseId id, Duration ttl) {

    public FencingToken token() {
        return holding.token();
    }
}
