// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** {@link SqlChange} without a result. */
@FunctionalInterface
public interface SqlWrite {

    void accept(Connection connection) throws SQLException;
}
