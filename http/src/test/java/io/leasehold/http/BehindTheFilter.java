// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static java.util.concurrent.CompletableFuture.supplyAsync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.guard.Guard;
import io.leasehold.model.FencingToken;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What holds for a handler behind the filter, whatever guard the filter asks: for one that takes the
 * guard's resource, and for one that writes elsewhere.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
abstract class BehindTheFilter<R> {

    private static final int OK = 200;
    private static final int CONFLICT = 409;
    private static final int FAILED = 500;

    private final Class<R> type;
    private final AtomicReference<String> elsewhere = new AtomicReference<>("");
    final CountDownLatch paused = new CountDownLatch(1);
    final CountDownLatch resume = new CountDownLatch(1);
    private final CountDownLatch failed = new CountDownLatch(1);
    private @Nullable Guard<R> guard;
    private @Nullable Server server;

    BehindTheFilter(Class<R> type) {
        this.type = type;
    }

    /** Opens a guard around an empty resource that can hold one text. */
    abstract Guard<R> open() throws Exception;

    abstract void put(R resource, String text);

    /** The text, read from outside of any change; empty if none was written. */
    abstract String read();

    /** Whether a change that fails leaves the data as it was. */
    boolean isUndone() {
        return true;
    }

    /** Something that happens in the handler before it writes. */
    void beforeTheWrite(HttpServletRequest request) {}

    @BeforeEach
    void start() throws Exception {
        Guard<R> opened = open();
        guard = opened;
        server = Server.start(FencingFilter.guardingWrites(opened), new Handler());
    }

    @AfterEach
    void stop() throws Exception {
        resume.countDown();
        if (server != null) {
            server.close();
        }
    }

    @Test
    void aHandlerThatTakesTheResourceWritesInOneStepWithTheMark() {
        assertThat(status(7, "resource")).isEqualTo(OK);
        assertThat(read()).isEqualTo("token 7");
        assertThat(mark()).isEqualTo(7);

        assertThat(status(5, "resource")).isEqualTo(CONFLICT);
        assertThat(read()).isEqualTo("token 7");
    }

    @Test
    void aHandlerThatTakesTheResourceAndFailsLeavesTheMark() {
        assertThat(status(7, "resource", "throw")).isEqualTo(FAILED);

        assertThat(read()).isEqualTo(isUndone() ? "" : "token 7");
        assertThat(mark()).isEqualTo(7);
        assertThat(status(5, "resource")).isEqualTo(CONFLICT);
        assertThat(status(7, "resource")).isEqualTo(OK);
        assertThat(read()).isEqualTo("token 7");
    }

    @Test
    void aRequestThatMeetsTheFilterTwiceDoesNotWaitForItself() {
        try (Server twice =
                Server.startWithTwice(FencingFilter.guardingWrites(guard()), new Handler())) {
            assertThat(status(twice, 7, "resource")).isEqualTo(OK);
            assertThat(read()).isEqualTo("token 7");
            assertThat(status(twice, 9, "resource", "forward")).isEqualTo(OK);
            assertThat(read()).isEqualTo("token 9");
            assertThat(status(twice, 8, "resource", "forward")).isEqualTo(CONFLICT);
            assertThat(status(twice, 10, "resource", "throw")).isEqualTo(FAILED);
            assertThat(mark()).isEqualTo(10);
            assertThat(read()).isEqualTo(isUndone() ? "token 9" : "token 10");
        }
    }

    @Test
    void whatAHandlerWroteElsewhereBeforeItFailedIsNotOverwrittenByAnOlderToken() {
        assertThat(status(7, "elsewhere", "throw")).isEqualTo(FAILED);

        assertThat(status(5, "elsewhere")).isEqualTo(CONFLICT);
        assertThat(elsewhere).hasValue("token 7");
    }

    @Test
    void whatAHandlerWroteElsewhereBeforeItsClientHungUpIsNotOverwrittenByAnOlderToken()
            throws Exception {
        server().hangUp("/elsewhere/read", "Fencing-Token: 7");
        failed.await();

        assertThat(status(5, "elsewhere")).isEqualTo(CONFLICT);
        assertThat(elsewhere).hasValue("token 7");
    }

    @Test
    void aNewerRequestWaitsForAHandlerThatWritesElsewhere() throws Exception {
        CompletableFuture<Integer> older = begin(7, "elsewhere", "pause");
        paused.await();
        CompletableFuture<Integer> newer = begin(9, "elsewhere");
        assertThatExceptionOfType(TimeoutException.class)
                .as("the newer request waits")
                .isThrownBy(() -> newer.get(200, TimeUnit.MILLISECONDS));
        resume.countDown();

        assertThat(older.get()).isEqualTo(OK);
        assertThat(newer.get()).isEqualTo(OK);
        assertThat(elsewhere).hasValue("token 9");
    }

    final CompletableFuture<Integer> begin(long token, String... path) {
        return supplyAsync(() -> status(token, path));
    }

    final int status(long token, String... path) {
        return status(server(), token, path);
    }

    private static int status(Server server, long token, String... path) {
        HttpRequest.Builder request = server.put("/" + String.join("/", path), "");
        return server.send(FencingHeaders.set(request, new FencingToken(token))).statusCode();
    }

    final long mark() {
        return guard().mark().orElseThrow().value();
    }

    final Guard<R> guard() {
        return Objects.requireNonNull(guard);
    }

    private Server server() {
        return Objects.requireNonNull(server);
    }

    /** Writes the token to where the path says, and then does what the path says. */
    private final class Handler extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doPut(HttpServletRequest request, HttpServletResponse response)
                throws IOException, ServletException {
            String path = request.getPathInfo();
            if (path.endsWith("/forward")) {
                request.getRequestDispatcher(path.replace("/forward", ""))
                        .forward(request, response);
                return;
            }
            if (path.endsWith("pause")) {
                paused.countDown();
                await(resume);
            }
            beforeTheWrite(request);
            String text =
                    "token " + FencingFilter.admission(request).orElseThrow().token();
            if (path.startsWith("/resource")) {
                put(FencingFilter.resource(request, type).orElseThrow(), text);
            } else {
                elsewhere.set(text);
            }
            if (path.endsWith("throw")) {
                throw new ServletException("on purpose");
            }
            if (path.endsWith("read")) {
                readBody(request);
            }
        }

        private void readBody(HttpServletRequest request) throws IOException {
            try {
                request.getInputStream().readAllBytes();
            } finally {
                failed.countDown();
            }
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
