// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.lettuce.core.cluster.SlotHash;

import java.nio.charset.StandardCharsets;

/**
 * The key that a mark is at, and the slot of a cluster that it and its data share.
 *
 * @param name the key
 * @param slot its slot, the same in a cluster and out of one
 */
record MarkKey(String name, int slot) {

    static final String SUFFIX = ":fence";

    /** The mark at exactly this key. */
    static MarkKey at(String name) {
        return new MarkKey(name, slotOf(name));
    }

    /**
     * The mark beside a key, in its slot: {@code {orders:42}:fence} for {@code orders:42}, and
     * {@code {user7}:cart:fence} for {@code {user7}:cart}, whose slot is that of its tag.
     */
    static MarkKey beside(String key) {
        int slot = slotOf(key);
        int open = key.indexOf('{');
        int close = key.indexOf('}', open + 1);
        boolean tagged = open >= 0 && close > open + 1;
        if (!tagged && key.indexOf('}') >= 0) {
            throw new IllegalArgumentException("no mark can stand beside '" + key
                    + "': it has a '}' but no hash tag. Give it a tag in braces");
        }
        return new MarkKey(tagged ? key + SUFFIX : "{" + key + "}" + SUFFIX, slot);
    }

    /** Checks that the key is data of this mark. */
    void check(String key) {
        if (key.equals(name)) {
            throw new IllegalArgumentException("'" + key + "' is the mark itself");
        }
        if (slotOf(key) != slot) {
            throw new IllegalArgumentException("key '" + key + "' is in slot " + slotOf(key)
                    + " and its mark '" + name + "' in slot " + slot
                    + ": no script can change both. Give both the same hash tag in braces");
        }
    }

    private static int slotOf(String key) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("a key is empty");
        }
        return SlotHash.getSlot(key.getBytes(StandardCharsets.UTF_8));
    }
}
