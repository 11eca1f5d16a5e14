// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import io.leasehold.model.LeaseId;

import java.security.SecureRandom;
import java.util.function.Supplier;

/** Lease ids for requests that come without one. */
final class LeaseIds implements Supplier<String> {

    private final SecureRandom random;

    LeaseIds(SecureRandom random) {
        this.random = random;
    }

    @Override
    public String get() {
        return new LeaseId(random.nextLong(), random.nextLong()).reveal();
    }
}
