// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/** The guard contract on H2. */
final class H2GuardContractTest extends TransactionGuardContract {

    H2GuardContractTest() {
        super(Database.h2());
    }
}
