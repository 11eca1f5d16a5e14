// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Logger;

import javax.sql.DataSource;

/** The smallest connection pool: a closed connection is handed out again, as it was left. */
final class Pool implements DataSource, AutoCloseable {

    private final String url;
    private final Queue<Connection> idle = new ConcurrentLinkedQueue<>();

    Pool(String url) {
        this.url = url;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection pooled = idle.poll();
        Connection connection = pooled == null ? open() : pooled;
        return (Connection) Proxy.newProxyInstance(
                Pool.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        giveBack(connection);
                        return null;
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private void giveBack(Connection connection) throws SQLException {
        if (!connection.isClosed()) {
            idle.add(connection);
        }
    }

    /** A connection that is not pooled. */
    Connection open() throws SQLException {
        return DriverManager.getConnection(url);
    }

    String url() {
        return url;
    }

    int idle() {
        return idle.size();
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection = idle.poll(); connection != null; connection = idle.poll()) {
            connection.close();
        }
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLFeatureNotSupportedException();
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
