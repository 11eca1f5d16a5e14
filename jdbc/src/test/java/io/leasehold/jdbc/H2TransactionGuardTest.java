// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/** Transactions of their own on H2. */
final class H2TransactionGuardTest extends TransactionGuardRules {

    H2TransactionGuardTest() {
        super(Database.h2());
    }
}
