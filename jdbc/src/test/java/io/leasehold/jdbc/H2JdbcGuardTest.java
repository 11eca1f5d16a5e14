// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/** The guard on H2. */
final class H2JdbcGuardTest extends JdbcGuardRules {

    H2JdbcGuardTest() {
        super(Database.h2());
    }
}
