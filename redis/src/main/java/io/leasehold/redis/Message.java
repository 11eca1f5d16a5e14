// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A message of the script: each field with its length and a colon in front. */
final class Message {

    private Message() {}

    /**
     * Reads the fields.
     *
     * @throws IllegalArgumentException if it is none of the script's messages
     */
    static List<Object> fields(byte[] message) {
        List<Object> fields = new ArrayList<>();
        int at = 0;
        while (at < message.length) {
            int colon = at;
            while (colon < message.length && message[colon] != ':') {
                colon++;
            }
            int length = Integer.parseInt(new String(message, at, colon - at, US_ASCII));
            if (length < 0 || length > message.length - colon - 1) {
                throw new IllegalArgumentException("a message that is cut off");
            }
            at = colon + 1 + length;
            fields.add(Arrays.copyOfRange(message, colon + 1, at));
        }
        return fields;
    }
}
