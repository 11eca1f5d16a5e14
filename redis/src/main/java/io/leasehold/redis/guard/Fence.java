// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.model.FencingToken;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StaleTokenException;
import io.leasehold.model.StoreUnavailableException;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One mark, and the scripts that judge it. Stateless.
 *
 * <p>Why it is safe. The server runs one script at a time, from its first line to its last, so that
 * nothing comes between the check of the mark, its raise, and the writes; and it puts the effects
 * of a script into its log and to its replicas as one transaction, so that a restart or a fail-over
 * finds mark and data of the same moment. The mark and the data of one script are in one slot,
 * hence on one node. What a mark can't survive is its own loss: see {@link RedisGuard#warnings()}.
 */
final class Fence {

    private final ScriptRunner scripts;
    private final MarkKey mark;
    private final String label;

    /** The label names the resource in refusals. */
    Fence(ScriptRunner scripts, MarkKey mark, String label) {
        this.scripts = scripts;
        this.mark = mark;
        this.label = label;
    }

    MarkKey mark() {
        return mark;
    }

    /** Admits the token and makes the writes; the numbers that they returned. */
    List<Long> write(FencingToken token, KeyWrites writes) {
        Reply reply = judged(Script.WRITE, token, writes.keys(), writes.arguments());
        return reply.list().stream().skip(1).map(Reply::number).toList();
    }

    /** Admits the token and runs the script, of which the keys have been checked. */
    Reply run(Script script, FencingToken token, List<String> keys, List<byte[]> arguments) {
        List<Reply> reply = judged(script, token, keys, arguments).list();
        return reply.size() > 1 ? reply.get(1) : new Reply(null);
    }

    Optional<FencingToken> read() {
        Reply reply;
        try {
            reply = new Reply(scripts.run(Script.READ, List.of(markBytes()), List.of()));
        } catch (OutcomeUnknownException e) {
            // A read has no outcome that could be unknown.
            throw new StoreUnavailableException(
                    "the mark of " + label + " can't be read: Redis gave no answer", e);
        }
        return switch (outcome(reply)) {
            case "none" -> Optional.empty();
            case "mark" -> Optional.of(FencingToken.parse(text(reply, 1)));
            case "damaged" -> throw damaged(text(reply, 1));
            default -> throw notUnderstood(reply);
        };
    }

    private Reply judged(
            Script script, FencingToken token, List<String> keys, List<byte[]> arguments) {
        List<byte[]> allKeys = new ArrayList<>(List.of(markBytes()));
        keys.forEach(key -> allKeys.add(KeyWrites.bytes(key)));
        List<byte[]> allArguments = new ArrayList<>(List.of(KeyWrites.bytes(token.toString())));
        allArguments.addAll(arguments);
        Reply reply = new Reply(scripts.run(script, allKeys, allArguments));
        return switch (outcome(reply)) {
            case "done" -> reply;
            case "stale" ->
                throw new StaleTokenException(label, token, FencingToken.parse(text(reply, 1)));
            case "damaged" -> throw damaged(text(reply, 1));
            case "refused" ->
                throw new RedisGuardException(
                        RedisGuardException.WRONG_TYPE,
                        "nothing was written for " + label + ": key '" + text(reply, 1)
                                + "' is refused, for " + text(reply, 2),
                        null);
            case "failed" ->
                throw new RedisGuardException(
                        RedisGuardException.BODY_FAILED,
                        "the Lua body for " + label + " failed: " + text(reply, 1) + ". What it"
                                + " wrote before that stays, and the mark is token " + token,
                        null);
            default -> throw notUnderstood(reply);
        };
    }

    private static String outcome(Reply reply) {
        return text(reply, 0);
    }

    private static String text(Reply reply, int index) {
        return reply.list().get(index).text().orElse("");
    }

    private RedisGuardException damaged(String found) {
        return new RedisGuardException(
                RedisGuardException.DAMAGED_MARK,
                "the mark of " + label + " is damaged: key '" + mark.name() + "' holds " + found
                        + ", not a token. Every token is refused until it is repaired: SET it to"
                        + " a newly granted token",
                null);
    }

    private IllegalStateException notUnderstood(Reply reply) {
        return new IllegalStateException(
                "the script for " + label + " answered " + reply + ", which it never does");
    }

    private byte[] markBytes() {
        return KeyWrites.bytes(mark.name());
    }
}
