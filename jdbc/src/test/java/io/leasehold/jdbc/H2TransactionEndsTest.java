// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/** Changes that end their transaction by themselves, on H2. */
final class H2TransactionEndsTest extends TransactionEndsRules {

    H2TransactionEndsTest() {
        super(Database.h2());
    }
}
