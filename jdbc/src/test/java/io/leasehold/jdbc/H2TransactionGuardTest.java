// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

/** Transactions of their own on H2. */
final class H2TransactionGuardTest extends TransactionGuardRules {

    H2TransactionGuardTest() {
        super(Database.h2());
    }

    @Test
    void aChangeThatSwitchesAutoCommitOnAsSqlTextIsFoundOut() {
        assertThatIllegalStateException()
                .isThrownBy(() -> guard.useTransaction(
                        token(1), connection -> Database.update(connection, "SET AUTOCOMMIT TRUE")))
                .withMessageContaining("switched auto-commit on");
    }
}
