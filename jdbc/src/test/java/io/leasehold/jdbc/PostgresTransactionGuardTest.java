// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/** Transactions of their own on PostgreSQL. */
final class PostgresTransactionGuardTest extends TransactionGuardRules {

    PostgresTransactionGuardTest() {
        super(Database.postgres());
    }
}
