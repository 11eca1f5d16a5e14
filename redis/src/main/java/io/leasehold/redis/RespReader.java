// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ProtocolException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the server's replies, of RESP version 2: a Long, bytes, a List of replies, nothing, or an
 * exception for an error. A read that times out loses nothing: the next goes on with what has
 * arrived. Not thread-safe.
 */
final class RespReader {

    /** What stands for a reply of which not all has arrived. */
    private static final Object INCOMPLETE = new Object();

    private static final int FIRST_SIZE = 16 * 1024;
    private static final int LARGEST_REPLY = 64 * 1024 * 1024;

    private final InputStream in;
    private byte[] buffer = new byte[FIRST_SIZE];
    // what has arrived and not been returned yet, and how far it has been read
    private int start;
    private int end;
    private int at;

    RespReader(InputStream in) {
        this.in = in;
    }

    /** The next reply, when all of it has arrived. */
    @Nullable
    Object next() throws IOException {
        while (true) {
            at = start;
            Object reply = start < end ? read() : INCOMPLETE;
            if (reply != INCOMPLETE) {
                start = at;
                return reply;
            }
            fill();
        }
    }

    private void fill() throws IOException {
        if (start == end) {
            start = 0;
            end = 0;
        } else if (end == buffer.length) {
            makeRoom();
        }
        int count = in.read(buffer, end, buffer.length - end);
        if (count < 0) {
            throw new EOFException("the server closed the connection");
        }
        end += count;
    }

    private void makeRoom() throws ProtocolException {
        if (start > 0) {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
        } else if (buffer.length < LARGEST_REPLY) {
            buffer = Arrays.copyOf(buffer, 2 * buffer.length);
        } else {
            throw new ProtocolException("a reply of more than " + LARGEST_REPLY + " bytes");
        }
    }

    private @Nullable Object read() throws ProtocolException {
        int from = at + 1;
        int lineEnd = lineEnd();
        if (lineEnd < 0) {
            return INCOMPLETE;
        }
        byte kind = buffer[at];
        at = lineEnd + 2;
        return switch (kind) {
            case ':' -> number(from, lineEnd);
            case '$' -> bytes(number(from, lineEnd));
            case '*' -> list(number(from, lineEnd));
            case '+' -> Arrays.copyOfRange(buffer, from, lineEnd);
            case '-' -> error(new String(buffer, from, lineEnd - from, UTF_8));
            default -> throw new ProtocolException("a reply that begins with " + kind);
        };
    }

    /** Where the line ends, or below zero if its end has not arrived. */
    private int lineEnd() {
        for (int i = at; i + 1 < end; i++) {
            if (buffer[i] == '\r' && buffer[i + 1] == '\n') {
                return i;
            }
        }
        return -1;
    }

    private long number(int from, int to) throws ProtocolException {
        boolean negative = buffer[from] == '-';
        long number = 0;
        for (int i = negative ? from + 1 : from; i < to; i++) {
            int digit = buffer[i] - '0';
            if (digit < 0 || digit > 9) {
                throw new ProtocolException("a reply with a number that is none");
            }
            number = 10 * number + digit;
        }
        return negative ? -number : number;
    }

    private @Nullable Object bytes(long length) {
        if (length < 0) {
            return null;
        } else if (end - at < length + 2) {
            return INCOMPLETE;
        }
        byte[] bytes = Arrays.copyOfRange(buffer, at, at + (int) length);
        at += (int) length + 2;
        return bytes;
    }

    private @Nullable Object list(long size) throws ProtocolException {
        if (size < 0) {
            return null;
        }
        List<@Nullable Object> list = new ArrayList<>((int) Math.min(size, FIRST_SIZE));
        for (long i = 0; i < size; i++) {
            Object element = at < end ? read() : INCOMPLETE;
            if (element == INCOMPLETE) {
                return INCOMPLETE;
            }
            list.add(element);
        }
        return list;
    }

    private static RedisCommandExecutionException error(String message) {
        return message.startsWith("NOSCRIPT")
                ? new RedisNoScriptException(message)
                : new RedisCommandExecutionException(message);
    }
}
