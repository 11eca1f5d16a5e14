// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.model.StoreUnavailableException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The server refused, for a reason that trying again does not cure: a key of the wrong type, a
 * damaged mark, missing rights, an error in the owner's Lua. The caller may conclude that no data
 * has changed, with two exceptions: a body that failed half-way ({@link #BODY_FAILED}) keeps what it
 * wrote, with the mark raised; and so does, on Redis 6.2, a change of several writes of which a later
 * one is not permitted, because that version can't tell beforehand.
 */
public final class RedisGuardException extends RuntimeException {

    /** The code of a mark that is no token: every token is refused until it is repaired. */
    public static final String DAMAGED_MARK = "DAMAGED_MARK";

    /** The code of a body that raised or returned an error. */
    public static final String BODY_FAILED = "BODY_FAILED";

    /** The code of a key that holds what the write can't work on. */
    public static final String WRONG_TYPE = "WRONGTYPE";

    private static final long serialVersionUID = 1;

    /** Errors that pass, or that an operator can make pass, and what to do about them. */
    private static final Map<String, String> PASSING = Map.of(
            "LOADING", "the server is reading its data: try again",
            "BUSY", "the server is busy with a long script: try again, or SCRIPT KILL it",
            "TRYAGAIN", "the slot is on its way to another node: try again",
            "CLUSTERDOWN", "the cluster does not serve this slot: try again",
            "MASTERDOWN", "the replica has lost its primary: connect to the primary",
            "READONLY", "this is a replica: connect to the primary",
            "MISCONF", "the server can't write to its disk: make room or see its log",
            "NOREPLICAS", "too few replicas are connected for min-replicas-to-write",
            "OOM", "the server has reached maxmemory: make room or raise it");

    private static final Map<String, String> HINTS = Map.of(
            "MOVED", ". This is a node of a cluster: use a cluster connection",
            "ASK", ". This is a node of a cluster: use a cluster connection",
            "NOAUTH", ". Put the password into the URI of the connection");

    private final String code;

    RedisGuardException(String code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /**
     * What an error reply to a script means, for a {@link ScriptRunner} to throw: {@link
     * StoreUnavailableException} if trying again may help, this exception if not. In both cases the
     * script changed nothing.
     *
     * @param reply the text of the error, its code first
     */
    public static RuntimeException refused(String reply, @Nullable Throwable cause) {
        String code = reply.split("[ :]", 2)[0];
        String passing = PASSING.get(code);
        if (passing != null) {
            return new StoreUnavailableException(passing + " (" + reply + ")", cause);
        }
        String hint = HINTS.getOrDefault(code, "");
        return new RedisGuardException(code, "Redis refused: " + reply + hint, cause);
    }

    /** What went wrong: one of the constants here, or the first word of the server's error. */
    public String code() {
        return code;
    }
}
