// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.server.access.EdgeOperations;
import io.leasehold.server.access.Security;
import io.leasehold.server.api.CallId;
import io.leasehold.server.api.Callers;
import io.leasehold.server.api.Health;
import io.leasehold.server.api.LeaseOperations;
import io.leasehold.server.api.OperationsOptions;
import io.leasehold.server.api.Readiness;
import io.leasehold.server.api.Sessions;
import io.leasehold.server.engine.Namespaces;
import io.leasehold.server.metrics.ServerMeters;
import io.leasehold.spi.Guarantees;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A server that runs. Thread-safe. */
public final class LeaseholdServer implements AutoCloseable {

    /** All that is served. What comes to the port is added here. */
    private static final List<ServerPart> PARTS = List.of(new GrpcPart(), new HttpPart());

    private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

    private final Server server;
    private final ServerOptions options;
    private final Namespaces namespaces;
    private final LeaseOperations operations;
    private final Sessions sessions;
    private final Readiness readiness;
    private final Workers workers;
    private final Guarantees guarantees;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<Void> drained = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** What was found out before the server was built. */
    private record Setting(
            Guarantees guarantees, InetSocketAddress address, Security.Entrance entrance) {}

    private LeaseholdServer(
            ServerOptions options, Namespaces namespaces, Workers workers, Setting setting) {
        this.options = options;
        this.namespaces = namespaces;
        this.workers = workers;
        this.guarantees = setting.guarantees();
        this.sessions = new Sessions(options.limits().principal().sessions());
        this.operations = new LeaseOperations(
                namespaces,
                new OperationsOptions(
                        version(),
                        guarantees,
                        options.bounds().calls(),
                        new OperationsOptions.Surroundings(
                                options.time(),
                                new SecureRandom(),
                                workers.loops(),
                                workers.readers())));
        this.readiness = new Readiness(
                new Readiness.Stores(
                        () -> namespaces.leases(Namespaces.DEFAULT), namespaces::others),
                options.time(),
                new SecureRandom());
        this.server = build(setting.address(), setting.entrance());
    }

    /**
     * Starts a server, which serves when this returns.
     *
     * @throws IllegalArgumentException if others can reach it who must not: {@link Security#check}
     * @throws LeaseholdException if its store can't be opened, its port not be had, or one of its
     *     files not be read
     */
    public static LeaseholdServer start(ServerOptions options) {
        options.security().check(address(options.listen()).getAddress());
        Workers workers = new Workers();
        Namespaces namespaces = Namespaces.at(
                options.store(), options.time(), options.bounds().namespaces(), workers);
        return start(options, namespaces, workers);
    }

    /** The same with namespaces that are there already. */
    static LeaseholdServer start(ServerOptions options, Namespaces namespaces, Workers workers) {
        InetSocketAddress address = address(options.listen());
        try {
            Security.Entrance entrance = options.security()
                    .entrance(options.time(), workers.files(), workers.administration());
            LeaseStore first =
                    namespaces.leases(Namespaces.DEFAULT).toCompletableFuture().join();
            LeaseholdServer server = new LeaseholdServer(
                    options,
                    namespaces,
                    workers,
                    new Setting(first.guarantees(), address, entrance));
            server.server.start().join();
            return server;
        } catch (CompletionException e) {
            namespaces.close();
            workers.close();
            throw whyNot(e, options.listen());
        } catch (LeaseholdException e) {
            namespaces.close();
            workers.close();
            throw e;
        }
    }

    private static InetSocketAddress address(ServerOptions.Listen listen) {
        InetSocketAddress address = new InetSocketAddress(listen.host(), listen.port());
        if (address.isUnresolved()) {
            throw new StoreUnavailableException("there is no address of " + listen.host());
        }
        return address;
    }

    private static RuntimeException whyNot(
            CompletionException failure, ServerOptions.Listen listen) {
        Throwable cause = failure.getCause();
        if (cause instanceof IOException) {
            return new StoreUnavailableException(
                    "can't listen at " + listen.host() + ":" + listen.port() + ": "
                            + cause.getMessage(),
                    cause);
        }
        return cause instanceof RuntimeException told
                ? told
                : new StoreUnavailableException("the server can't be started", cause);
    }

    private Server build(InetSocketAddress address, Security.Entrance entrance) {
        ServerBuilder builder = Server.builder()
                .workerGroup(workers.loops(), false)
                .requestTimeout(REQUEST_TIMEOUT)
                .gracefulShutdownTimeout(Duration.ZERO, Duration.ZERO)
                // each would be reported with its trace, also what clients cause: see ErrorPages
                .unloggedExceptionsReportInterval(Duration.ZERO)
                .disableServerHeader()
                .disableDateHeader();
        if (options.security().tls().isPresent()) {
            builder.https(address);
        } else {
            builder.http(address);
        }
        options.security().applyTo(builder, options.time());
        options.limits().applyTo(builder, entrance::watchHandshakes);
        CallId.applyTo(builder);
        ServerMeters meters = ServerMeters.create(options.time());
        meters.addTo(builder);
        meters.showFailedSignIns(entrance.failures().count());
        meters.showFailedHandshakes(entrance.handshakes().count());
        ServerPart.Parts parts = new ServerPart.Parts(
                options,
                meters.measure(EdgeOperations.around(
                        operations, options.limits(), entrance.audit(), options.time())),
                new Callers(entrance.access()),
                sessions,
                entrance.administration(),
                this::health,
                meters);
        PARTS.forEach(part -> part.addTo(builder, parts));
        return builder.build();
    }

    private CompletionStage<Health> health() {
        return operations.isStopping()
                ? CompletableFuture.completedStage(Health.STOPPING)
                : readiness.health();
    }

    /** The version that the build wrote into the jar's manifest. */
    private static String version() {
        String version = LeaseholdServer.class.getPackage().getImplementationVersion();
        return version == null ? "(unpackaged)" : version;
    }

    /** Where it listens. */
    public int port() {
        return server.activeLocalPort();
    }

    /** What its engine promises. */
    public Guarantees guarantees() {
        return guarantees;
    }

    /**
     * Stops: tells the clients, grants nothing more at once, serves renewals and releases for as long
     * as the options say or until nobody is connected, then ends. Idempotent; returns when all is
     * over.
     */
    @Override
    public void close() {
        if (closing.compareAndSet(false, true)) {
            sessions.tellOfStop();
            operations.stopGranting();
            drained().join();
            operations.close();
            namespaces.close();
            stopped().join();
            workers.close();
            closed.complete(null);
        }
        closed.join();
    }

    /** A stop, under way or to come, no longer serves renewals and releases: it ends at once. */
    public void stopDraining() {
        drained.complete(null);
    }

    private CompletableFuture<Void> drained() {
        Time time = options.time();
        Time.Timer unused = time.schedule(options.bounds().drain(), () -> drained.complete(null));
        endWhenIdle();
        return drained;
    }

    private void endWhenIdle() {
        if (isIdle()) {
            drained.complete(null);
        } else if (!drained.isDone()) {
            Time.Timer unused = options.time().schedule(LOOK_AGAIN, this::endWhenIdle);
        }
    }

    /** When nothing is open any more: Armeria waits two seconds more for a thread of its own. */
    private CompletableFuture<Void> stopped() {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        CompletableFuture<?> unused =
                server.stop().whenComplete((nothing, failure) -> stopped.complete(null));
        endWhenNothingIsOpen(stopped);
        return stopped;
    }

    private void endWhenNothingIsOpen(CompletableFuture<Void> stopped) {
        if (server.activePorts().isEmpty() && isIdle()) {
            stopped.complete(null);
        } else if (!stopped.isDone()) {
            Future<?> unused = workers.loops()
                    .schedule(
                            () -> endWhenNothingIsOpen(stopped),
                            LOOK_AGAIN.toMillis(),
                            TimeUnit.MILLISECONDS);
        }
    }

    private boolean isIdle() {
        return server.config().serverMetrics().activeConnections() == 0;
    }
}
