// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * What is done in a guarded transaction, with a result. It neither commits nor rolls back nor
 * closes: that is the guard's part, and the connection refuses it. Savepoints are allowed.
 */
@FunctionalInterface
public interface SqlChange<T> {

    T apply(Connection connection) throws SQLException;
}
