// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/** The guard contract on PostgreSQL. */
final class PostgresGuardContractTest extends TransactionGuardContract {

    PostgresGuardContractTest() {
        super(Database.postgres());
    }
}
