// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.model.FencingToken;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One key, with its mark beside it. The same as {@link FencedKeys}, with the same errors, for a
 * resource that is a single key. Thread-safe.
 */
public final class FencedKey {

    private final String key;
    private final FencedKeys keys;

    FencedKey(String key, FencedKeys keys) {
        this.key = key;
        this.keys = keys;
    }

    /** The key that the mark is at. Whatever deletes it lets stale writers in. */
    public String markKey() {
        return keys.markKey();
    }

    /** SET: the value replaces whatever is there, and has no time to live. */
    public void set(FencingToken token, String value) {
        keys.set(token, key, value);
    }

    /** {@link #set(FencingToken, String)} of bytes. */
    public void set(FencingToken token, byte[] value) {
        keys.set(token, key, value);
    }

    /** SET with PX: the value is gone after the time to live. The mark stays. */
    public void set(FencingToken token, String value, Duration ttl) {
        keys.set(token, key, value, ttl);
    }

    /** HSET: sets fields of the hash, leaves its others alone, and says how many are new. */
    public long hset(FencingToken token, Map<String, String> fields) {
        return keys.hset(token, key, fields);
    }

    /** DEL: whether there was something. The mark stays. */
    public boolean delete(FencingToken token) {
        return keys.delete(token, key);
    }

    /** INCRBY: adds to the counter and returns the sum. */
    public long increment(FencingToken token, long by) {
        return keys.increment(token, key, by);
    }

    /** {@link FencedKeys#run} of a body that finds this key in {@code KEYS[1]}. */
    public Reply run(FencingToken token, String body, String... arguments) {
        return keys.run(token, body, List.of(key), List.of(arguments));
    }

    /** Raises the mark: {@link FencedKeys#admit}. */
    public void admit(FencingToken token) {
        keys.admit(token);
    }

    /** Shuts out all earlier holders. Call it before the first read. */
    public void seal(FencingToken token) {
        keys.seal(token);
    }

    /** The highest token that the key has seen, if any was. */
    public Optional<FencingToken> mark() {
        return keys.mark();
    }
}
