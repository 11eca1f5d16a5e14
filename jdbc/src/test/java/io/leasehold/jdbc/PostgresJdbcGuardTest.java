// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/** The guard on PostgreSQL. */
final class PostgresJdbcGuardTest extends JdbcGuardRules {

    PostgresJdbcGuardTest() {
        super(Database.postgres());
    }
}
