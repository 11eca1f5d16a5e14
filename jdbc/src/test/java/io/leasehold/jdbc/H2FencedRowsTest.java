// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/** Fenced rows on H2. */
final class H2FencedRowsTest extends FencedRowsRules {

    H2FencedRowsTest() {
        super(Database.h2());
    }
}
