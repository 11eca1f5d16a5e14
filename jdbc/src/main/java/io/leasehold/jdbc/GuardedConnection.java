// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

import io.leasehold.model.Scope;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Wraps the connection of a guarded transaction for the change that runs in it. The wrapper refuses
 * whatever would end the transaction, because the lock on the mark ends with it; savepoints are
 * allowed. What leads back to the connection (statements, result sets, metadata) is wrapped as well,
 * and nothing is unwrapped. When the change is over, all of it behaves as closed.
 *
 * <p>SQL text such as {@code COMMIT} is not looked at: {@link JdbcGuard#confirm} finds that out.
 */
final class GuardedConnection {

    /** Every method of a connection that ends a transaction on some database. */
    private static final Set<String> ENDS = Set.of(
            "commit", "rollback", "setAutoCommit", "close", "abort", "setTransactionIsolation");

    /** The interfaces that are wrapped, special ones first. */
    private static final List<Class<?>> WRAPPED = List.of(
            CallableStatement.class,
            PreparedStatement.class,
            Statement.class,
            ResultSet.class,
            DatabaseMetaData.class);

    private final Connection connection;
    private final Scope resource;
    private final Connection wrapper;
    private volatile @Nullable IllegalStateException refusal; // the first
    private volatile boolean over;

    GuardedConnection(Connection connection, Scope resource) {
        this.connection = connection;
        this.resource = resource;
        this.wrapper = (Connection) wrap(Connection.class, connection);
    }

    /** Runs the change; a refusal that it swallowed is thrown when it returns. */
    <T> T run(SqlChange<? extends T> change) throws SQLException {
        T result;
        try {
            result = change.apply(wrapper);
        } finally {
            over = true;
        }
        IllegalStateException swallowed = refusal;
        if (swallowed != null) {
            throw swallowed;
        }
        return result;
    }

    private Object wrap(Class<?> type, Object target) {
        return Proxy.newProxyInstance(
                GuardedConnection.class.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call(proxy, target, method, arguments));
    }

    private @Nullable Object call(
            Object proxy, Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        String name = method.getName();
        Object first = arguments == null ? null : arguments[0];
        return switch (name) {
            case "equals" -> proxy == first;
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "guarded by " + resource + ": " + target;
            case "isWrapperFor" -> first instanceof Class<?> type && type.isInstance(proxy);
            case "unwrap" -> unwrap(proxy, first);
            default -> {
                if (over) {
                    yield afterTheEnd(name);
                }
                if (target == connection && endsTransaction(name, first)) {
                    throw refuse(name);
                }
                yield invoke(target, method, arguments);
            }
        };
    }

    /** Not by {@code rollback(savepoint)}, nor by {@code setAutoCommit(false)}, which it is. */
    private static boolean endsTransaction(String method, @Nullable Object argument) {
        return ENDS.contains(method)
                && !(argument instanceof Savepoint)
                && !Boolean.FALSE.equals(argument);
    }

    private @Nullable Object invoke(
            Object target, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        Object result;
        try {
            result = method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (result instanceof Connection) {
            return wrapper;
        }
        for (Class<?> type : WRAPPED) {
            if (type.isInstance(result)) {
                return wrap(type, result);
            }
        }
        return result;
    }

    private static Object unwrap(Object proxy, @Nullable Object type) throws SQLException {
        if (type instanceof Class<?> wanted && wanted.isInstance(proxy)) {
            return proxy;
        }
        throw new SQLFeatureNotSupportedException(
                "a guarded connection is not unwrapped, because what is behind it could end the"
                        + " transaction. For the driver's own classes begin a transaction of your"
                        + " own and call JdbcGuard.admit in it");
    }

    private IllegalStateException refuse(String method) {
        IllegalStateException refused = new IllegalStateException(
                method + " is refused: the guard ends the transaction of " + resource
                        + ", and the lock on its mark with it. To undo the change, throw an"
                        + " exception; to undo a part of it, roll back to a savepoint; to try"
                        + " again, call the guard again");
        if (refusal == null) {
            refusal = refused;
        }
        return refused;
    }

    private @Nullable Object afterTheEnd(String method) throws SQLException {
        return switch (method) {
            case "close" -> null;
            case "isClosed" -> true;
            case "isValid" -> false;
            default ->
                throw new SQLNonTransientConnectionException(
                        "the guarded transaction of " + resource
                                + " is over: use its connection inside the change only",
                        "08003");
        };
    }
}
