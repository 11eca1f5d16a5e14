// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an error of the server or of the connection means: that nothing happened, or that nobody
 * knows. Only what the server says before it has written anything means the first.
 */
final class Failures {

    /** The server's own words for errors at which nothing was written, and what to do about them. */
    private static final Map<String, String> NOTHING_HAPPENED = Map.ofEntries(
            Map.entry("LOADING", "Redis is reading its data from disk; try again"),
            Map.entry("READONLY", "this Redis is a replica; the primary is being looked up"),
            Map.entry("MASTERDOWN", "this Redis is a replica that lost its primary"),
            Map.entry("BUSY", "a script blocks Redis; see SLOWLOG, end it with SCRIPT KILL"),
            Map.entry("OOM", "Redis has used up its maxmemory; make room or raise it"),
            Map.entry("MISCONF", "Redis can't save its data; see its log"),
            Map.entry("NOREPLICAS", "Redis has fewer replicas than min-replicas-to-write"),
            Map.entry("CLUSTERDOWN", "the cluster has slots that nobody serves"),
            Map.entry("TRYAGAIN", "the slot is being moved; try again"),
            Map.entry("MOVED", "this Redis is part of a cluster; use redis-cluster://"),
            Map.entry("ASK", "this Redis is part of a cluster; use redis-cluster://"),
            Map.entry("CROSSSLOT", "a proxy has split the keys of the namespace"),
            Map.entry("NOAUTH", "Redis asks for a password; put it into the URI"),
            Map.entry("WRONGPASS", "Redis does not accept the user or the password"),
            Map.entry(
                    "NOPERM",
                    "the Redis user may not do this; it needs EVALSHA, EVAL, PUBLISH,"
                            + " SUBSCRIBE and all commands on the keys leasehold:*"),
            Map.entry(
                    "WRONGTYPE",
                    "a key of the namespace holds something else; see the keys"
                            + " leasehold:{namespace}*"),
            Map.entry("MAXCLIENTS", "Redis has as many clients as it may; raise maxclients"));

    private static final Pattern CODE = Pattern.compile("\\b([A-Z]{3,})\\b");
    private static final int HEAD = 80;

    /** What Redis 7 says within a script where it says NOPERM without. */
    private static final String NO_RIGHT = "The user executing the script can't run this command";

    private Failures() {}

    /** What the failure of a call, or of the connection, means. */
    static LeaseholdException of(Throwable error) {
        Throwable cause = unwrapped(error);
        if (cause instanceof LeaseholdException known) {
            return known;
        } else if (cause instanceof RedisCommandExecutionException) {
            return ofServer(String.valueOf(cause.getMessage()), cause);
        } else if (cause instanceof RedisConnectionException) {
            return unreachable(cause);
        } else if (cause instanceof RedisException && isRejection(cause)) {
            return new StoreUnavailableException("there is no connection to Redis", cause);
        }
        return new OutcomeUnknownException("the connection to Redis failed: " + cause, cause);
    }

    /** What an error within the script means. */
    static LeaseholdException ofScript(String message) {
        return ofServer(message, null);
    }

    /** Whether the server may not be written to, so that another one is to be looked for. */
    static boolean isReadOnly(Throwable error) {
        LeaseholdException failure = of(error);
        return failure instanceof StoreUnavailableException
                && String.valueOf(failure.getMessage()).startsWith("READONLY");
    }

    /** Whether an operation failed because the server may not be written to. */
    static boolean isReadOnly(List<?> answers) {
        for (Object answer : answers) {
            if (answer instanceof List<?> fields
                    && !fields.isEmpty()
                    && fields.get(0) instanceof byte[] letter
                    && letter.length == 1
                    && letter[0] == '!'
                    && isReadOnly(ofScript(Wire.string(fields.get(1))))) {
                return true;
            }
        }
        return false;
    }

    private static LeaseholdException ofServer(String message, @Nullable Throwable cause) {
        String head = message.contains(NO_RIGHT)
                ? "NOPERM"
                : message.substring(0, Math.min(HEAD, message.length()));
        Matcher matcher = CODE.matcher(head);
        while (matcher.find()) {
            String advice = NOTHING_HAPPENED.get(matcher.group(1));
            if (advice != null) {
                return new StoreUnavailableException(matcher.group(1) + ": " + advice, cause);
            }
        }
        return new OutcomeUnknownException("Redis answered with an error: " + message, cause);
    }

    /** Why there is no connection, for people. */
    static StoreUnavailableException unreachable(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException) {
                return new StoreUnavailableException(
                        "the host of Redis is unknown: " + cause.getMessage(), error);
            }
            String message = String.valueOf(cause.getMessage());
            if (cause instanceof RedisCommandExecutionException) {
                LeaseholdException known = ofServer(message, error);
                return new StoreUnavailableException(String.valueOf(known.getMessage()), error);
            }
        }
        return new StoreUnavailableException(
                "Redis can't be reached: " + rootOf(error).getMessage(), error);
    }

    private static Throwable rootOf(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    private static boolean isRejection(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        return message.contains("not connected")
                || message.contains("Connection is closed")
                || message.contains("Request queue size exceeded");
    }

    private static Throwable unwrapped(Throwable error) {
        Throwable cause = error;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
