// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/** Races on PostgreSQL. */
final class PostgresRaceTest extends RaceRules {

    PostgresRaceTest() {
        super(Database.postgres());
    }
}
