// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.cli.json.Json;
import io.leasehold.cli.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;

/**
 * The routes of a server, by JSON over {@link HttpURLConnection}: of all the ways to speak HTTP it
 * is the one that costs a command the least at its start. Connections are kept and used again.
 * Thread-safe.
 */
public final class ServerApi {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
    private static final byte[] NOTHING = {};

    private final ServerAddress address;
    private final Optional<SSLSocketFactory> trust;

    private ServerApi(ServerAddress address, Optional<SSLSocketFactory> trust) {
        this.address = address;
        this.trust = trust;
    }

    /** Opens nothing yet. */
    public static ServerApi at(ServerAddress address) {
        return new ServerApi(address, address.authorities().map(Trust::in));
    }

    public ServerAddress address() {
        return address;
    }

    /** A call that sends the fields as a JSON object and waits so long for the answer. */
    public HttpCall post(String path, Map<String, Object> fields, Duration timeout) {
        HttpURLConnection connection = open(path, timeout);
        connection.setDoOutput(true);
        connection.setRequestProperty("Content-Type", "application/json");
        return new HttpCall(connection, Json.write(fields).getBytes(UTF_8));
    }

    /** A call that sends the fields that are not empty as query parameters. */
    public HttpCall get(String path, Map<String, Object> fields, Duration timeout) {
        StringBuilder query = new StringBuilder(path);
        char separator = '?';
        for (Map.Entry<String, Object> field : fields.entrySet()) {
            String value = field.getValue().toString();
            if (!value.isEmpty()) {
                query.append(separator)
                        .append(field.getKey())
                        .append('=')
                        .append(URLEncoder.encode(value, UTF_8));
                separator = '&';
            }
        }
        return new HttpCall(open(query.toString(), timeout), NOTHING);
    }

    /** Who answers, on which engine. */
    public JsonObject info(String namespace, Duration timeout) {
        return get("/v1/info", Json.object("namespace", namespace), timeout).reply("engine");
    }

    private HttpURLConnection open(String path, Duration timeout) {
        try {
            URL url = new URL(address.uri() + path);
            HttpURLConnection connection = (HttpURLConnection) url.openConnection(Proxy.NO_PROXY);
            if (connection instanceof HttpsURLConnection secure) {
                trust.ifPresent(secure::setSSLSocketFactory);
            }
            connection.setInstanceFollowRedirects(false);
            connection.setUseCaches(false);
            connection.setConnectTimeout((int) CONNECT_TIMEOUT.toMillis());
            connection.setReadTimeout((int) timeout.toMillis());
            connection.setRequestProperty("Accept", "application/json");
            if (!address.token().isEmpty()) {
                connection.setRequestProperty("Authorization", "Bearer " + address.token());
            }
            return connection;
        } catch (IOException e) {
            throw new IllegalArgumentException("'" + address + "' can't be called: " + e, e);
        }
    }

    /** A failure of the network for people. */
    static String words(IOException e) {
        if (e instanceof UnknownHostException) {
            return "there is no host of that name";
        }
        if (e instanceof SocketTimeoutException) {
            return "it does not answer";
        }
        String message = String.valueOf(e.getMessage());
        return e instanceof ConnectException && message.contains("refused")
                ? "nobody listens there"
                : message;
    }
}
