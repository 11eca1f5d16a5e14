// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.model.LimitExceededException;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The writes of one change, in their order. Nothing is sent until the change has ended; then the
 * server makes all of them in one script, or none. Used by one thread, until its change ends.
 */
public final class KeyWrites {

    /** The most writes in one change. */
    public static final int MAX_WRITES = 1_000;

    /** The most fields in one {@link #hset}. */
    public static final int MAX_FIELDS = 10_000;

    /** The longest and the shortest life of a value. */
    private static final Duration MAX_TTL = Duration.ofDays(36_500);

    private static final Duration MIN_TTL = Duration.ofMillis(1);
    private static final long MAX_COUNTER = (1L << 53) - 1;

    private final MarkKey mark;
    private final Map<String, Integer> keys = new LinkedHashMap<>(); // index in KEYS, from 2
    private final List<byte[]> arguments = new ArrayList<>();
    private int count;
    private boolean over;

    KeyWrites(MarkKey mark) {
        this.mark = mark;
    }

    /** SET: the value replaces whatever is there, and has no time to live. */
    public KeyWrites set(String key, String value) {
        return set(key, bytes(value));
    }

    /** {@link #set(String, String)} of bytes. */
    public KeyWrites set(String key, byte[] value) {
        return add("set", key, List.of(value.clone()));
    }

    /** SET with PX: the value is gone after the time to live. The mark stays. */
    public KeyWrites set(String key, String value, Duration ttl) {
        return set(key, bytes(value), ttl);
    }

    /** {@link #set(String, String, Duration)} of bytes. */
    public KeyWrites set(String key, byte[] value, Duration ttl) {
        if (ttl.compareTo(MIN_TTL) < 0 || ttl.compareTo(MAX_TTL) > 0) {
            throw new IllegalArgumentException(
                    "time to live " + ttl + " is outside 1 ms to 100 years");
        }
        return add("set", key, List.of(value.clone(), bytes(Long.toString(ttl.toMillis()))));
    }

    /** HSET: sets fields of a hash and leaves its other fields alone. */
    public KeyWrites hset(String key, Map<String, String> fields) {
        if (fields.isEmpty()) {
            throw new IllegalArgumentException("no field to set in '" + key + "'");
        }
        if (fields.size() > MAX_FIELDS) {
            throw new LimitExceededException(
                    "fields",
                    MAX_FIELDS,
                    fields.size() + " fields for '" + key + "'; at most " + MAX_FIELDS
                            + " are set at once");
        }
        List<byte[]> pairs = new ArrayList<>();
        fields.forEach((field, value) -> {
            pairs.add(bytes(field));
            pairs.add(bytes(value));
        });
        return add("hset", key, pairs);
    }

    /** DEL. The mark stays, so that a deleted key does not come back by an older holder. */
    public KeyWrites delete(String key) {
        return add("del", key, List.of());
    }

    /**
     * INCRBY: adds to a counter, which is 0 if there is none. Both the amount and the sum are from
     * -(2<sup>53</sup>-1) to 2<sup>53</sup>-1.
     */
    public KeyWrites increment(String key, long by) {
        if (by < -MAX_COUNTER || by > MAX_COUNTER) {
            throw new IllegalArgumentException(
                    "increment " + by + " is outside -(2^53-1) to 2^53-1");
        }
        return add("incrby", key, List.of(bytes(Long.toString(by))));
    }

    private KeyWrites add(String name, String key, List<byte[]> values) {
        if (over) {
            throw new IllegalStateException("the change is over: its writes have been sent");
        }
        if (count == MAX_WRITES) {
            throw new LimitExceededException(
                    "writes in one change",
                    MAX_WRITES,
                    "more than " + MAX_WRITES + " writes in one change of '" + mark.name() + "'");
        }
        mark.check(key);
        Integer index = keys.computeIfAbsent(key, added -> keys.size() + 2);
        arguments.add(bytes(name));
        arguments.add(bytes(index.toString()));
        arguments.add(bytes(Integer.toString(values.size())));
        arguments.addAll(values);
        count++;
        return this;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Ends the recording. */
    void end() {
        over = true;
    }

    /** The keys in the order of their indexes. */
    List<String> keys() {
        return List.copyOf(keys.keySet());
    }

    /** The writes as write.lua takes them. */
    List<byte[]> arguments() {
        return arguments;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
