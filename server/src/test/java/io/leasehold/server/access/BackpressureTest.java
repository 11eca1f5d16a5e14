// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.leasehold.server.Await;
import io.netty.channel.Channel;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How much of a client that does not read gets into the server. */
@Timeout(90)
final class BackpressureTest {

    private static final HttpData LARGE = HttpData.wrap(new byte[64 << 10]);
    private static final Duration LONG = Duration.ofMinutes(5);

    private final AtomicInteger served = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicInteger mostUnanswered = new AtomicInteger();
    private final AtomicReference<Channel> connection = new AtomicReference<>();
    private Server server = start(LONG);
    private Socket client = new Socket();

    private Server start(Duration idle) {
        var builder = Server.builder()
                .http(0)
                .requestTimeout(Duration.ZERO)
                .service("/large", this::large)
                .service("/never", this::never)
                .service("/small", (context, request) -> HttpResponse.of(HttpStatus.OK));
        EdgeLimits.defaults().withPatience(idle, LONG).applyTo(builder);
        Server made = builder.build();
        made.start().join();
        return made;
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.stop().join();
    }

    private HttpResponse large(ServiceRequestContext context, HttpRequest request) {
        count(context);
        return HttpResponse.of(HttpStatus.OK, MediaType.OCTET_STREAM, LARGE);
    }

    private HttpResponse never(ServiceRequestContext context, HttpRequest request) {
        count(context);
        return HttpResponse.of(new CompletableFuture<>());
    }

    private void count(ServiceRequestContext context) {
        connection.set(Objects.requireNonNull(context.log().partial().channel()));
        mostUnanswered.accumulateAndGet(unanswered.incrementAndGet(), Math::max);
        context.log().whenComplete().thenRun(unanswered::decrementAndGet);
        served.incrementAndGet();
    }

    /** Sends requests of a client that reads nothing, as far as they are taken. */
    private void pipeline(String requests) throws IOException {
        client.setReceiveBufferSize(4 << 10);
        client.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.activeLocalPort()));
        byte[] all = requests.getBytes(StandardCharsets.US_ASCII);
        Thread writer = new Thread(
                () -> {
                    try {
                        client.getOutputStream().write(all);
                    } catch (IOException e) {
                        // the other side has had enough, or the test is over
                    }
                },
                "pipelining client");
        writer.setDaemon(true);
        writer.start();
    }

    private static String requests(String path, int count, int padding) {
        return ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(padding)
                        + "\r\n\r\n")
                .repeat(count);
    }

    /** Whether the server does not read from the connection. */
    private boolean isHeldUp() {
        Channel channel = connection.get();
        return channel != null && !channel.config().isAutoRead();
    }

    private boolean isClosed() {
        Channel channel = connection.get();
        return channel != null && !channel.isOpen();
    }

    @Test
    void aConnectionWhoseAnswersAreNotReadIsNotReadFromUntilTheyAre() throws IOException {
        int requests = 500;
        pipeline(requests("/large", requests, 2_000));

        Await.until(() -> served.get() == requests || isHeldUp());
        long bytes = 0;
        byte[] buffer = new byte[64 << 10];
        InputStream in = client.getInputStream();
        while (bytes < requests * (64L << 10)) {
            int read = in.read(buffer);
            assertThat(read).as("read after %s bytes", bytes).isPositive();
            bytes += read;
        }

        assertThat(served).hasValue(requests);
        assertThat(mostUnanswered.get()).isLessThan(Backpressure.MOST_UNANSWERED);
    }

    @Test
    void requestsPipelinedBehindOnesThatWaitAreNotTakenWithoutEnd() throws IOException {
        int requests = 20_000;
        // what is read at once grows with what comes
        pipeline(requests("/small", 100, 8_000) + requests("/never", requests, 0));

        Await.until(() -> served.get() == requests || isHeldUp() || isClosed());

        assertThat(mostUnanswered.get()).isLessThanOrEqualTo(Backpressure.MOST_UNANSWERED);
    }

    @Test
    void aConnectionWhoseAnswersAreNotReadForAsLongAsOneMayBeIdleIsClosed() throws IOException {
        server.stop().join();
        server = start(Duration.ofMillis(500));
        pipeline(requests("/large", 500, 2_000));

        Await.until(this::isClosed);

        assertThat(served.get()).isLessThan(500);
    }
}
