// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.hostile;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/** Sends wild JSON in proper HTTP, on several connections at once, and reads every answer. */
final class JsonFuzzer {

    private static final int CONNECTIONS = 8;
    private static final List<String> ROUTES = List.of(
            "acquire",
            "withdraw",
            "renew",
            "rotate",
            "release",
            "complete",
            "lease",
            "leases",
            "force-release",
            "check",
            "admit",
            "seal",
            "info",
            "tokens",
            "tokens/revoke",
            "nothing");

    private final SplittableRandom random;
    private final LongAdder accepted = new LongAdder();
    private final LongAdder serverErrors = new LongAdder();
    private final LongAdder answers = new LongAdder();

    /** How the requests were answered. */
    record Tally(long answers, long accepted, long serverErrors) {}

    JsonFuzzer(SplittableRandom random) {
        this.random = random;
    }

    Tally run(int port, int requests) {
        List<CompletableFuture<Void>> parts = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            Wild wild = new Wild(random.split());
            int share = requests * (i + 1) / CONNECTIONS - requests * i / CONNECTIONS;
            parts.add(Threads.run("json-fuzzer-" + i, () -> send(port, share, wild)));
        }
        parts.forEach(CompletableFuture::join);
        return new Tally(answers.sum(), accepted.sum(), serverErrors.sum());
    }

    private void send(int port, int requests, Wild wild) {
        int sent = 0;
        while (sent < requests) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.setTcpNoDelay(true);
                InputStream in = new BufferedInputStream(socket.getInputStream());
                boolean open = true;
                while (open && sent < requests) {
                    socket.getOutputStream().write(request(wild));
                    sent++;
                    open = readAnswer(in);
                }
            } catch (IOException e) {
                throw new UncheckedIOException("request " + sent, e);
            }
        }
    }

    /** Whether the connection goes on. */
    private boolean readAnswer(InputStream in) throws IOException {
        String status = line(in);
        int length = 0;
        boolean open = true;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            String lower = header.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = Integer.parseInt(
                        lower.substring("content-length:".length()).strip());
            }
            open &= !lower.equals("connection: close");
        }
        byte[] unused = in.readNBytes(length);
        int code =
                Integer.parseInt(status.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
        answers.increment();
        if (code == 200) {
            accepted.increment();
        } else if (code == 500 || code == 502) {
            serverErrors.increment();
        }
        return open;
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new IOException("closed without an answer, after '" + line + "'");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    // ---- requests

    private static byte[] request(Wild wild) {
        String route = wild.oneOf(ROUTES);
        boolean get = wild.chance(6);
        String path = "/v1/" + route + (get ? "?" + query(wild) : "");
        byte[] body = get ? new byte[0] : body(route, wild);
        byte[] head = ((get ? "GET " : wild.chance(50) ? "PUT " : "POST ") + path
                        + " HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Type: " + (wild.chance(20) ? "text/plain" : "application/json")
                        + "\r\nContent-Length: " + body.length + "\r\n\r\n")
                .getBytes(ISO_8859_1);
        byte[] request = new byte[head.length + body.length];
        System.arraycopy(head, 0, request, 0, head.length);
        System.arraycopy(body, 0, request, head.length, body.length);
        return request;
    }

    private static String query(Wild wild) {
        StringBuilder query = new StringBuilder();
        for (String field :
                List.of("scope", "namespace", "token", "limit", "after", "overlapping", "no")) {
            if (wild.chance(3)) {
                query.append(field).append('=').append(encoded(wild)).append('&');
            }
        }
        return query.toString();
    }

    private static String encoded(Wild wild) {
        String value = wild.chance(2) ? wild.scope() : Long.toString(wild.number());
        StringBuilder text = new StringBuilder();
        for (byte each : value.getBytes(UTF_8)) {
            text.append('%').append(String.format(Locale.ROOT, "%02X", each & 0xff));
        }
        return wild.chance(20)
                ? text + "%"
                : text.substring(0, Math.min(text.length(), 3_000) / 3 * 3);
    }

    private static byte[] body(String route, Wild wild) {
        if (wild.chance(20)) {
            return wild.bytes(200);
        }
        if (wild.chance(50)) {
            return "[".repeat(wild.below(20_000)).getBytes(UTF_8);
        }
        byte[] body = message(route, wild).getBytes(UTF_8);
        if (body.length > 0 && wild.chance(4)) {
            body[wild.below(body.length)] = (byte) wild.below(256);
        }
        return body;
    }

    private static String message(String route, Wild wild) {
        String scopes = "\"scopes\":[" + quoted(wild.scope())
                + (wild.chance(5) ? "," + quoted(wild.scope()) : "") + "]";
        String grant = "{" + scopes + ",\"token\":" + number(wild) + ",\"leaseId\":"
                + quoted(wild.leaseId()) + "}";
        String fields = switch (route) {
            case "acquire", "withdraw" ->
                scopes + ",\"leaseId\":" + quoted(wild.leaseId()) + ",\"ttl\":" + duration(wild);
            case "renew" ->
                "\"renewals\":[{\"grant\":" + grant + ",\"ttl\":" + duration(wild) + "}]";
            case "complete" ->
                "\"grant\":" + grant + ",\"keepFor\":" + duration(wild) + ",\"record\":{\"value\":"
                        + quoted(wild.text(20)) + "}";
            case "rotate", "release" -> "\"grant\":" + grant;
            case "admit", "seal" ->
                "\"resource\":" + quoted(wild.text(10)) + ",\"token\":" + number(wild);
            case "tokens", "tokens/revoke" -> "\"name\":" + quoted(wild.text(10));
            default -> "\"scope\":" + quoted(wild.scope()) + ",\"token\":" + number(wild);
        };
        String more = wild.chance(10) ? "," + quoted(wild.text(5)) + ":" + number(wild) : "";
        return "{\"namespace\":" + quoted(wild.namespace()) + "," + fields + more + "}";
    }

    private static String number(Wild wild) {
        return wild.chance(2) ? Long.toString(wild.number()) : "\"" + wild.number() + "\"";
    }

    private static String duration(Wild wild) {
        return wild.chance(3) ? "\"" + wild.number() + "s\"" : "\"30s\"";
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each < ' ' || each == '"' || each == '\\' || Character.isSurrogate(each)) {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) each));
            } else {
                quoted.append(each);
            }
        }
        return quoted.append('"').toString();
    }
}
