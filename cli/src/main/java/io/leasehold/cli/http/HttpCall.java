// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.cli.json.JsonException;
import io.leasehold.cli.json.JsonObject;
import io.leasehold.cli.json.JsonReader;
import io.leasehold.cli.json.Printable;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;

/**
 * One call of a server. What the server decided, refusals included, is the reply; anything else is
 * an exception that says what the caller may conclude: {@link StoreUnavailableException}, {@link
 * OutcomeUnknownException}, {@link LimitExceededException} or {@link ProblemException}. Used once;
 * only {@link #abandon} may be called by another thread.
 */
public final class HttpCall {

    private static final int MAX_REPLY_BYTES = 32 * 1024 * 1024;

    private final HttpURLConnection connection;
    private final byte[] body;

    HttpCall(HttpURLConnection connection, byte[] body) {
        this.connection = connection;
        this.body = body;
    }

    /** Sends the request and waits for the reply. */
    public JsonObject reply() {
        int status = status();
        String text = read(status);
        if (status == HttpURLConnection.HTTP_OK) {
            return parse(text);
        }
        JsonObject problem = problem(status, text);
        return problem.object("reply").orElseThrow(() -> failure(status, problem));
    }

    /** The same, of an answer that has this field: what a foreign server says has others. */
    public JsonObject reply(String field) {
        JsonObject reply = reply();
        if (!reply.has(field)) {
            throw new OutcomeUnknownException("the answer of " + host() + " has no '" + field
                    + "'; is it a Leasehold server?");
        }
        return reply;
    }

    /** Sends the request and gives the answer to be read as it comes. */
    InputStream stream() {
        int status = status();
        if (status != HttpURLConnection.HTTP_OK) {
            throw failure(status, problem(status, read(status)));
        }
        try {
            return connection.getInputStream();
        } catch (IOException e) {
            throw new StoreUnavailableException("the connection to " + host() + " broke", e);
        }
    }

    /** Ends it from outside: whoever waits for the reply gets none. */
    public void abandon() {
        connection.disconnect();
    }

    private int status() {
        connect();
        try {
            if (body.length > 0) {
                connection.getOutputStream().write(body);
            }
            int status = connection.getResponseCode();
            if (status < 0) {
                throw new IOException("the answer is no HTTP");
            }
            return status;
        } catch (IOException e) {
            throw new OutcomeUnknownException(
                    "no answer from " + host() + ": " + ServerApi.words(e), e);
        }
    }

    private void connect() {
        try {
            connection.connect();
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "can't reach " + host() + ": " + ServerApi.words(e), e);
        }
    }

    private String read(int status) {
        try (InputStream in =
                status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            if (in == null) {
                return "";
            }
            byte[] bytes = in.readNBytes(MAX_REPLY_BYTES);
            if (bytes.length == MAX_REPLY_BYTES) {
                throw new IOException("the answer is too long");
            }
            return new String(bytes, UTF_8);
        } catch (IOException e) {
            throw new OutcomeUnknownException(
                    "half an answer from " + host() + ": " + ServerApi.words(e), e);
        }
    }

    private JsonObject parse(String text) {
        try {
            return JsonReader.object(text);
        } catch (JsonException e) {
            throw new OutcomeUnknownException(
                    "what answers at " + host() + " is no Leasehold server: " + e.getMessage(), e);
        }
    }

    /** What a server that is not ours, or a proxy, says is no problem+json; its status tells. */
    private JsonObject problem(int status, String text) {
        try {
            return JsonReader.object(text);
        } catch (JsonException e) {
            throw failure(status, JsonReader.object("{}"));
        }
    }

    private RuntimeException failure(int status, JsonObject problem) {
        // one line, and nothing for the terminal, whoever the server is
        String reason = Printable.text(problem.text("reason"));
        String detail = Printable.text(problem.text("detail"));
        String message = detail.isEmpty()
                ? host() + " answered with status " + status
                        + (reason.isEmpty() ? "; is it a Leasehold server?" : " " + reason)
                : detail;
        return switch (status) {
            case 429 -> new LimitExceededException(reason, 0, message);
            case 502, 503 -> new StoreUnavailableException(message);
            case 500, 504 -> new OutcomeUnknownException(message);
            default -> new ProblemException(status, reason, message);
        };
    }

    private String host() {
        return connection.getURL().getProtocol() + "://" + connection.getURL().getAuthority();
    }
}
