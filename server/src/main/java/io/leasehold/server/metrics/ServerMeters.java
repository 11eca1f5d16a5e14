// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.metrics;

import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServerListener;

import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.server.api.Operations;
import io.leasehold.spi.Time;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The server's meters, in a registry of their own that Prometheus reads. No label ever has a value
 * that a client chooses. Thread-safe.
 */
public final class ServerMeters implements AutoCloseable {

    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofMillis(2500),
        Duration.ofSeconds(10),
        Duration.ofSeconds(60)
    };

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Map<Kind, Timer> calls = new ConcurrentHashMap<>();
    private final Map<String, Counter> rejected = new ConcurrentHashMap<>();
    private final JvmGcMetrics collections = new JvmGcMetrics();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger watches = new AtomicInteger();
    private final AtomicInteger sessions = new AtomicInteger();
    private final Counter stale;
    private final Time time;

    private record Kind(String operation, String outcome) {}

    private ServerMeters(Time time) {
        this.time = time;
        this.stale = Counter.builder("leasehold.stale.fencing.token")
                .description("Tokens that a hosted guard refused")
                .register(registry);
    }

    /** Meters of a server that starts now. */
    public static ServerMeters create(Time time) {
        ServerMeters meters = new ServerMeters(time);
        PrometheusMeterRegistry registry = meters.registry;
        Gauge.builder("leasehold.waiting.acquires", meters.waiting, AtomicInteger::get)
                .description("Acquires under way that may wait")
                .register(registry);
        Gauge.builder("leasehold.watches", meters.watches, AtomicInteger::get)
                .description("Open watches")
                .register(registry);
        Gauge.builder("leasehold.sessions", meters.sessions, AtomicInteger::get)
                .description("Open sessions")
                .register(registry);
        Gauge.builder("leasehold.clock.step.seconds", new ClockStep(time), ClockStep::seconds)
                // nobody else keeps it, and a gauge keeps nothing unless it is told to
                .strongReference(true)
                .description(
                        "How far the wall clock moved away from the monotonic one since the start")
                .register(registry);
        List<MeterBinder> machine = List.of(
                new JvmMemoryMetrics(),
                meters.collections,
                new JvmThreadMetrics(),
                new ProcessorMetrics(),
                new FileDescriptorMetrics(),
                new UptimeMetrics());
        machine.forEach(binder -> binder.bindTo(registry));
        return meters;
    }

    /** What Prometheus reads. */
    public PrometheusMeterRegistry registry() {
        return registry;
    }

    /** The operations, each call counted and timed, whichever way it came in. */
    public Operations measure(Operations operations) {
        return new MeteredOperations(operations, this);
    }

    /** Shows how many sign-ins failed, which somebody else counts. */
    public void showFailedSignIns(AtomicLong failed) {
        FunctionCounter.builder("leasehold.failed.sign.ins", failed, AtomicLong::get)
                .description("Requests of nobody that is known")
                .register(registry);
    }

    /** Shows how many TLS handshakes failed, which somebody else counts. */
    public void showFailedHandshakes(AtomicLong failed) {
        FunctionCounter.builder("leasehold.failed.handshakes", failed, AtomicLong::get)
                .description("Connections whose TLS handshake failed")
                .register(registry);
    }

    /** Counts the sessions of this server, and ends with it. */
    public void addTo(ServerBuilder server) {
        server.routeDecorator()
                .path("exact:/" + LeasesGrpc.getSessionMethod().getFullMethodName())
                .build((next, context, request) -> {
                    sessions.incrementAndGet();
                    context.log().whenComplete().thenRun(sessions::decrementAndGet);
                    return next.serve(context, request);
                });
        server.serverListener(
                ServerListener.builder().whenStopped(stopped -> close()).build());
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }

    Time time() {
        return time;
    }

    AtomicInteger waiting() {
        return waiting;
    }

    AtomicInteger watches() {
        return watches;
    }

    void called(String operation, String outcome, long nanos) {
        calls.computeIfAbsent(new Kind(operation, outcome), this::timer)
                .record(Duration.ofNanos(nanos));
    }

    void stale() {
        stale.increment();
    }

    void renewalRejected(String reason) {
        rejected.computeIfAbsent(
                        reason,
                        name -> Counter.builder("leasehold.lease.renewal.rejected")
                                .description("Renewals that the store refused")
                                .tag("reason", name)
                                .register(registry))
                .increment();
    }

    private Timer timer(Kind kind) {
        return Timer.builder("leasehold.calls")
                .description("Calls by what was asked for and what became of it")
                .tag("operation", kind.operation())
                .tag("outcome", kind.outcome())
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }
}
