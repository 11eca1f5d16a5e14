// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * What an error of the server or of the connection means: that nothing happened, or that nobody
 * knows. Only what the server says before it has written anything means the first.
 */
final class Failures {

    /** What Lettuce says of a connection that closes before the greeting is over. */
    private static final Set<String> CLOSED_EARLY =
            Set.of("Connection closed prematurely", "RedisHandshakeHandler not registered");

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
                    "the Redis user may not do this; it needs EVALSHA, EVAL, TIME, PUBLISH,"
                            + " SUBSCRIBE, UNSUBSCRIBE, PUBSUB, @hash, @list and @sortedset, on"
                            + " the keys and channels leasehold:*"),
            Map.entry(
                    "WRONGTYPE",
                    "a key of the namespace holds something else; see the keys"
                            + " leasehold:{namespace}*"),
            Map.entry("NOTADMITTED", "the node has not been admitted to its quorum"),
            Map.entry(
                    "FOREIGN",
                    "the namespace belongs to a node of a quorum; take another one, or"
                            + " QuorumLeaseStore"),
            Map.entry("MAXCLIENTS", "Redis has as many clients as it may; raise maxclients"));

    /** In front, or behind the place in the script. */
    private static final Pattern CODE = Pattern.compile("(?:^|: -?)([A-Z]{3,})\\b");

    /** What the server says without a word of its own in front. */
    private static final Map<String, String> PLAIN_WORDS = Map.of(
            "The user executing the script can't", "NOPERM",
            "max number of clients reached", "MAXCLIENTS");

    private Failures() {}

    /** What the failure of a call, or of the connection, means. */
    static LeaseholdException of(Throwable error) {
        Throwable cause = unwrapped(error);
        if (cause instanceof LeaseholdException known) {
            return known;
        } else if (cause instanceof RedisCommandExecutionException) {
            return ofServer(String.valueOf(cause.getMessage()), cause, false);
        } else if (cause instanceof RedisConnectionException) {
            return unreachable(cause);
        } else if (cause instanceof RedisException && isRejection(cause)) {
            return new StoreUnavailableException("there is no connection to Redis", cause);
        } else if (cause instanceof RedisCommandTimeoutException) {
            return new OutcomeUnknownException(
                    "Redis did not answer in time: " + cause.getMessage(), cause);
        }
        return new OutcomeUnknownException("the connection to Redis failed: " + cause, cause);
    }

    /** What an error within an operation of the script means. */
    static LeaseholdException ofScript(String message) {
        return ofServer(message, null, true);
    }

    /** Whether the server may not be written to, so that another one is to be looked for. */
    static boolean isReadOnly(LeaseholdException error) {
        return error instanceof StoreUnavailableException
                && String.valueOf(error.getMessage()).startsWith("READONLY");
    }

    /** Whether the keys are being moved to another node, and nothing was begun. */
    static boolean isMoving(LeaseholdException error) {
        return error instanceof StoreUnavailableException
                && String.valueOf(error.getMessage()).startsWith("TRYAGAIN");
    }

    private static LeaseholdException ofServer(
            String message, @Nullable Throwable cause, boolean withinOperation) {
        String code = codeOf(message);
        String advice = NOTHING_HAPPENED.get(code);
        if (advice == null) {
            return new OutcomeUnknownException("Redis answered with an error: " + message, cause);
        }
        String explained = code + ": " + advice;
        return mayBeHalfDone(code, message, withinOperation)
                ? new OutcomeUnknownException(explained, cause)
                : new StoreUnavailableException(explained, cause);
    }

    /** The first of the server's words that is known here, or nothing. */
    private static String codeOf(String message) {
        Matcher matcher = CODE.matcher(message);
        while (matcher.find()) {
            if (NOTHING_HAPPENED.containsKey(matcher.group(1))) {
                return matcher.group(1);
            }
        }
        return PLAIN_WORDS.entrySet().stream()
                .filter(words -> message.contains(words.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("");
    }

    /** Rights and types differ from key to key, so that the first writes may have been done. */
    private static boolean mayBeHalfDone(String code, String message, boolean withinOperation) {
        return switch (code) {
            case "WRONGTYPE" -> withinOperation;
            case "NOPERM" -> message.contains("script");
            default -> false;
        };
    }

    /** Why there is no connection, for people. */
    static StoreUnavailableException unreachable(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnknownHostException) {
                return new StoreUnavailableException(
                        "the host of Redis is unknown: " + cause.getMessage(), error);
            }
            if (cause instanceof SSLException) {
                return new StoreUnavailableException(
                        "TLS with Redis fails: " + rootOf(cause).getMessage(), error);
            }
            String message = String.valueOf(cause.getMessage());
            if (cause instanceof RedisCommandExecutionException) {
                LeaseholdException known = ofServer(message, error, false);
                return new StoreUnavailableException(String.valueOf(known.getMessage()), error);
            }
        }
        String where = error instanceof RedisConnectionException ? error.getMessage() + ": " : "";
        return new StoreUnavailableException(
                "Redis can't be reached: " + where + rootOf(error).getMessage(), error);
    }

    /** Whether a connection was closed before it was one, which does not say why. */
    static boolean isClosing(Throwable error) {
        return CLOSED_EARLY.contains(String.valueOf(rootOf(error).getMessage()));
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
