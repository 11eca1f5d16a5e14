// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.leasehold.cli.json.JsonObject;
import io.leasehold.cli.json.JsonReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server that says what a test tells it to, right or wrong. */
public final class StubServer implements AutoCloseable {

    /** What it answers to a call. */
    public interface Answer {
        Said to(JsonObject request) throws Exception;
    }

    /**
     * An answer.
     *
     * @param status of HTTP; 0 breaks the connection off
     */
    public record Said(int status, String body) {}

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<String> authorizations = new CopyOnWriteArrayList<>();

    public StubServer() {
        try {
            server = HttpServer.create(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    public StubServer on(String path, int status, String body) {
        return on(path, request -> new Said(status, body));
    }

    public StubServer on(String path, Answer answer) {
        answers.put(path, answer);
        return this;
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    public ServerApi api() {
        return ServerApi.at(ServerAddress.parse(url(), "", java.util.Optional.empty()));
    }

    /** Method and address of each call so far. */
    public List<String> calls() {
        return calls;
    }

    public List<String> authorizations() {
        return authorizations;
    }

    private void handle(HttpExchange exchange) throws IOException {
        calls.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
        String shown = exchange.getRequestHeaders().getFirst("Authorization");
        authorizations.add(shown == null ? "" : shown);
        String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
        Answer answer = answers.get(exchange.getRequestURI().getPath());
        Said said;
        try {
            said = answer == null
                    ? new Said(
                            404, "{\"status\":404,\"reason\":\"NO_SUCH_ROUTE\",\"detail\":\"no\"}")
                    : answer.to(JsonReader.object(body.isEmpty() ? "{}" : body));
        } catch (Exception e) {
            said = new Said(0, "");
        }
        if (said.status == 0) {
            exchange.close();
            return;
        }
        byte[] bytes = said.body.getBytes(UTF_8);
        exchange.sendResponseHeaders(said.status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
