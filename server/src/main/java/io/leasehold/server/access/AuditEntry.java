// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.server.api.CallId;

import java.time.Instant;

/**
 * What was done to others, or to who may do what, or by somebody who is not known.
 *
 * @param who the principal's name; empty if it is not known
 * @param what the call: force-release, create-token, list-tokens, revoke-token; or sign-in
 * @param subject where or on whom: a namespace and scope, a principal's name, or the address of a
 *     client; may be empty
 * @param token the fencing token that was meant; 0 if none was
 * @param comment the caller's words; may be empty
 * @param outcome done, or why not; and how many entries it stands for
 * @param call the call that it came with
 */
record AuditEntry(
        String who,
        String what,
        String subject,
        long token,
        String comment,
        String outcome,
        CallId call) {

    /** What a caller can write at most into the log, in one field. */
    private static final int MAX_CHARS = 1_000;

    /** The same, which stands for others before it. */
    AuditEntry asLastOf(int count) {
        String all = count == 1 ? outcome : outcome + " (the last of " + count + ")";
        return new AuditEntry(who, what, subject, token, comment, all, call);
    }

    /** One line of JSON without its end. Only printable ASCII, so that nobody can forge a line. */
    String toJson(long wallMillis) {
        StringBuilder line = new StringBuilder("{\"at\":");
        quote(line, Instant.ofEpochMilli(wallMillis).toString());
        field(line, "who", who);
        field(line, "what", what);
        field(line, "subject", subject);
        if (token != 0) {
            field(line, "token", Long.toString(token));
        }
        field(line, "comment", comment);
        field(line, "outcome", outcome);
        field(line, "requestId", call.toString());
        return line.append('}').toString();
    }

    private static void field(StringBuilder line, String name, String value) {
        if (!value.isEmpty()) {
            line.append(",\"").append(name).append("\":");
            quote(line, value);
        }
    }

    private static void quote(StringBuilder line, String text) {
        line.append('"');
        for (int i = 0; i < text.length() && i < MAX_CHARS; i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else if (c >= ' ' && c < 0x7f) {
                line.append(c);
            } else {
                line.append(String.format("\\u%04x", (int) c));
            }
        }
        line.append(text.length() > MAX_CHARS ? "...\"" : "\"");
    }
}
