// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.LeaseholdException;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.ThreadLeakCheck;
import io.leasehold.testkit.TlsCertificate;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Files with certificates that are replaced while a store is open. */
@ExtendWith(ThreadLeakCheck.class)
final class ReloadedCertificatesTest {

    private static final Logger OURS = Logger.getLogger(RemoteLeaseStore.class.getName());

    private final MemoryLeaseStore behind = MemoryLeaseStore.create();
    private final TlsCertificate first = TlsCertificate.create();
    private final TlsCertificate second = TlsCertificate.create();
    private final SessionServer server = SessionServer.secured(behind, first);
    private final Warnings warnings = new Warnings();
    private final Path trusted;

    ReloadedCertificatesTest(@TempDir Path directory) {
        this.trusted = directory.resolve("trusted.pem");
    }

    @BeforeEach
    void listen() {
        replace(first.certificate());
        OURS.addHandler(warnings);
    }

    @AfterEach
    void close() {
        OURS.removeHandler(warnings);
        server.close();
        behind.close();
        first.close();
        second.close();
    }

    private RemoteLeaseStore connect(Duration patience) {
        return RemoteLeaseStore.connect(RemoteOptions.at("leaseholds://localhost:" + server.port())
                .trusting(trusted)
                .withPatience(patience));
    }

    /** As a program does that renews certificates: all at once. */
    private void replace(Path by) {
        try {
            Path made = trusted.resolveSibling("new.pem");
            Files.copy(by, made, REPLACE_EXISTING);
            Files.move(made, trusted, REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void reconnect(RemoteLeaseStore store) {
        server.breakSessions();
        RealTime.eventually(() -> RealTime.answer(store.list(LeaseQuery.all())));
    }

    @Test
    void certificatesAreReadAgainAtEachConnect() {
        try (RemoteLeaseStore store = connect(RealTime.PATIENCE)) {
            Asking.granted(store, "a");
            int port = server.port();
            server.close();
            replace(second.certificate());
            try (SessionServer renewed = SessionServer.secured(behind, port, second)) {
                RealTime.eventually(() -> Asking.granted(store, "b"));
                assertThat(renewed.calls()).isNotEmpty();
            }
        }
    }

    @Test
    void aServerIsNoLongerBelievedOnceItsCertificateIsTakenOutOfTheFile() {
        try (RemoteLeaseStore store = connect(RealTime.PATIENCE)) {
            Asking.granted(store, "a");
            replace(second.certificate());
            server.breakSessions();
            RealTime.until("it is noticed", () -> isRefused(store));
            RealTime.pass(Duration.ofMillis(200));
            assertThatThrownBy(() -> Asking.granted(store, "b"))
                    .isInstanceOf(LeaseholdException.class);
        }
    }

    private static boolean isRefused(RemoteLeaseStore store) {
        return store.list(LeaseQuery.all()).toCompletableFuture().isCompletedExceptionally();
    }

    @Test
    void aFileThatCantBeReadKeepsTheLastGoodOneAndIsToldOnce() throws IOException {
        try (RemoteLeaseStore store = connect(RealTime.PATIENCE)) {
            Files.delete(trusted);
            reconnect(store);
            reconnect(store);
            Files.writeString(trusted, "no certificate");
            reconnect(store);
            assertThat(warnings.all).hasSize(1);
            assertThat(warnings.all.get(0)).contains("certificates", "last good");

            replace(first.certificate());
            reconnect(store);
            Files.delete(trusted);
            reconnect(store);
            assertThat(warnings.all).as("it was well in between").hasSize(2);
        }
    }

    @Test
    void aFileThatDoesNotEndHoldsAConnectUpForThePatienceOnly() throws Exception {
        try (RemoteLeaseStore store = connect(Duration.ofMillis(500))) {
            Files.delete(trusted);
            // whoever reads it waits for somebody who writes
            Process pipe = new ProcessBuilder("mkfifo", trusted.toString()).start();
            assertThat(pipe.waitFor()).isZero();
            try (RandomAccessFile end = new RandomAccessFile(trusted.toFile(), "rw")) {
                reconnect(store);
                end.writeBytes("an end");
            }
            RealTime.until("the end is read", () -> !warnings.all.isEmpty());
        }
    }

    /** Keeps the messages of warnings. */
    private static final class Warnings extends Handler {

        final List<String> all = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord message) {
            if (message.getLevel().equals(Level.WARNING)) {
                all.add(message.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
