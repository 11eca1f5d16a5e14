// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/** Fenced rows on PostgreSQL. */
final class PostgresFencedRowsTest extends FencedRowsRules {

    PostgresFencedRowsTest() {
        super(Database.postgres());
    }
}
