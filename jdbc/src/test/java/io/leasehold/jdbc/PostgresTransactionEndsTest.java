// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/** Changes that end their transaction by themselves, on PostgreSQL. */
final class PostgresTransactionEndsTest extends TransactionEndsRules {

    PostgresTransactionEndsTest() {
        super(Database.postgres());
    }
}
