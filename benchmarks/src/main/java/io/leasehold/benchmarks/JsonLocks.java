// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Our server's locks by JSON over HTTP, a connection for each lock. */
final class JsonLocks implements LockClient {

    private static final Pattern TOKEN = Pattern.compile("\"token\" *: *\"(\\d+)\"");
    private static final Pattern LEASE_ID = Pattern.compile("\"leaseId\" *: *\"(\\p{XDigit}+)\"");

    private final int port;
    private final Queue<JsonConnection> connections = new ConcurrentLinkedQueue<>();

    JsonLocks(int port) {
        this.port = port;
    }

    @Override
    public NamedLock lock(String name) {
        JsonConnection connection = JsonConnection.open(port);
        connections.add(connection);
        String scopes = "\"scopes\":[\"name:" + name + "\"]";
        return new NamedLock() {
            private String grant = "";

            @Override
            public void acquire() {
                String answer = connection.post(
                        "/v1/acquire", "{" + scopes + ",\"ttl\":\"30s\",\"wait\":\"60s\"}");
                grant = "{\"grant\":{" + scopes + ",\"token\":\"" + first(TOKEN, answer)
                        + "\",\"leaseId\":\"" + first(LEASE_ID, answer) + "\"}}";
            }

            @Override
            public void release() {
                String unused = connection.post("/v1/release", grant);
            }
        };
    }

    private static String first(Pattern pattern, String answer) {
        Matcher matcher = pattern.matcher(answer);
        if (!matcher.find()) {
            throw new IllegalStateException("no " + pattern + " in the answer");
        }
        return matcher.group(1);
    }

    @Override
    public void close() {
        connections.forEach(JsonConnection::close);
    }
}
