// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;

import io.leasehold.protocol.v1.AdministrationGrpc;
import io.leasehold.protocol.v1.CreateTokenReply;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.ListTokensReply;
import io.leasehold.protocol.v1.RevokeTokenReply;
import io.leasehold.server.access.EdgeLimits;
import io.leasehold.server.access.Permission;
import io.leasehold.server.access.Principal;
import io.leasehold.server.api.CallFailedException;
import io.leasehold.server.api.Health;
import io.leasehold.server.metrics.ServerMeters;
import io.leasehold.testkit.VirtualTime;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** The routes on a real port, over operations that a test tells what to answer. */
final class Web implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    final StubOperations operations = new StubOperations();
    final VirtualTime time = VirtualTime.create();
    final AtomicBoolean serving = new AtomicBoolean(true);
    final ServerMeters meters = ServerMeters.create(time);
    final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();
    private final Server server;

    private Web(boolean strangers, Consumer<ServerBuilder> more) {
        HttpSettings settings = new HttpSettings(
                context -> principal(context.request().headers().get("authorization", "")),
                () -> CompletableFuture.completedStage(
                        serving.get() ? Health.SERVING : Health.STOPPING),
                meters.registry(),
                new SecureRandom(),
                time,
                strangers);
        var builder = Server.builder().http(0);
        HttpRoutes.of(meters.measure(operations), settings)
                .with(
                        AdministrationGrpc.getCreateTokenMethod(),
                        (caller, request) -> operations.answer(
                                "CreateToken", caller, request, CreateTokenReply.class))
                .with(
                        AdministrationGrpc.getListTokensMethod(),
                        (caller, request) -> operations.answer(
                                "ListTokens", caller, request, ListTokensReply.class))
                .with(
                        AdministrationGrpc.getRevokeTokenMethod(),
                        (caller, request) -> operations.answer(
                                "RevokeToken", caller, request, RevokeTokenReply.class))
                .register(builder);
        meters.addTo(builder);
        EdgeLimits.defaults().applyTo(builder);
        more.accept(builder);
        server = builder.build();
        server.start().join();
    }

    static Web start() {
        return start(builder -> {});
    }

    /** With something else besides. */
    static Web start(Consumer<ServerBuilder> more) {
        return new Web(false, more);
    }

    /** One that asks nobody who they are. */
    static Web forStrangers() {
        return new Web(true, builder -> {});
    }

    URI address(String path) {
        return URI.create("http://127.0.0.1:" + server.activeLocalPort() + path);
    }

    /** A bare connection. */
    Socket connect() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), server.activeLocalPort());
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(address(path)).timeout(PATIENCE);
    }

    HttpResponse<String> get(String path) {
        return send(request(path).GET());
    }

    HttpResponse<String> post(String path, String json) {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json)));
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static JsonNode json(HttpResponse<String> response) {
        try {
            return MAPPER.readTree(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(response.body(), e);
        }
    }

    static CallFailedException failure(Failure.Kind kind) {
        return new CallFailedException(
                Failure.newBuilder().setKind(kind).setMessage("so it was said").build());
    }

    @Override
    public void close() {
        server.stop().join();
    }

    private static Principal principal(String authorization) {
        if (authorization.equals("Bearer nobody")) {
            throw failure(Failure.Kind.UNAUTHENTICATED);
        }
        return new TestPrincipal(!authorization.equals("Bearer reader"));
    }

    private record TestPrincipal(boolean admin) implements Principal {

        @Override
        public String name() {
            return admin ? "admin" : "reader";
        }

        @Override
        public boolean may(Permission permission, String namespace) {
            return admin || permission == Permission.READ;
        }

        @Override
        public boolean mayEverywhere(Permission permission) {
            return admin;
        }
    }
}
