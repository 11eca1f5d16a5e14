// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.client.RemoteLeaseStore;
import io.leasehold.client.RemoteOptions;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.RequestRefusedException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.Security;
import io.leasehold.server.access.TokenFile;
import io.leasehold.server.engine.StoreAddress;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.TcpProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client that shows who it is, and a server that does. */
@SuppressWarnings("NullAway.Init")
final class RemoteSecurityTest {

    private static final List<AccessRule> RULES = List.of(AccessRule.parse("team-a=acquire,read"));

    @TempDir
    private static Path directory;

    private static Certificates ours;
    private static Certificates strangers;
    private static LeaseholdServer server;
    private static String token;

    @BeforeAll
    static void start() {
        ours = new Certificates(directory, "ours")
                .sign("server", "CN=localhost")
                .sign("orders", "CN=orders")
                .sign("unknown", "CN=unknown");
        strangers = new Certificates(directory, "strangers").sign("orders-too", "CN=orders");
        TokenFile file = TokenFile.at(directory.resolve("tokens"));
        token = file.create("by-token", RULES);
        file.createForCertificate("orders", RULES);
        server = LeaseholdServer.start(ServerOptions.on(new StoreAddress.Memory())
                .withPort(0)
                .withSecurity(new Security(
                        Optional.of(file.path()),
                        Optional.of(new Security.Tls(
                                ours.certificate("server"),
                                ours.key("server"),
                                Optional.of(ours.authority()))),
                        Optional.empty(),
                        false)));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static RemoteOptions options() {
        return RemoteOptions.at("leaseholds://localhost:" + server.port() + "/team-a")
                .trusting(ours.authority());
    }

    private static void locks(RemoteOptions options) {
        try (Leasehold leasehold = Leasehold.on(RemoteLeaseStore.connect(options));
                Lease lease = leasehold.lock("ledger").acquire(Duration.ofSeconds(30))) {
            assertThat(lease.isValid()).isTrue();
        }
    }

    private static RequestRefusedException.Why refusal(Runnable action) {
        try {
            action.run();
        } catch (RequestRefusedException e) {
            return e.why();
        }
        throw new AssertionError("not refused");
    }

    @Test
    void aTokenLetsAClientIn() {
        locks(options().withToken(token));
    }

    @Test
    void soDoesACertificate() {
        locks(options().withCertificate(ours.certificate("orders"), ours.key("orders")));
    }

    @Test
    void aClientShowsTheCertificateThatIsInItsFilesWhenItConnects() throws IOException {
        Path chain = Files.copy(ours.certificate("orders"), directory.resolve("mine.pem"));
        Path key = Files.copy(ours.key("orders"), directory.resolve("mine.key"));
        try (TcpProxy network = TcpProxy.to(server.port());
                RemoteLeaseStore store = RemoteLeaseStore.connect(
                        RemoteOptions.at("leaseholds://localhost:" + network.port() + "/team-a")
                                .trusting(ours.authority())
                                .withCertificate(chain, key))) {
            assertThat(RealTime.answer(store.list(LeaseQuery.all())).leases()).isEmpty();
            Files.copy(ours.certificate("unknown"), chain, REPLACE_EXISTING);
            Files.copy(ours.key("unknown"), key, REPLACE_EXISTING);
            network.cut();
            RealTime.until(
                    "it comes as somebody whom the server does not know", () -> isUnknown(store));
        }
    }

    private static boolean isUnknown(RemoteLeaseStore store) {
        try {
            RealTime.answer(store.list(LeaseQuery.all()));
            return false;
        } catch (RequestRefusedException e) {
            return e.why() == RequestRefusedException.Why.UNAUTHENTICATED;
        } catch (LeaseholdException e) {
            return false;
        }
    }

    @Test
    void withoutEitherAClientIsRefusedAndNotToldThatTheServerIsAway() {
        assertThat(refusal(() -> locks(options())))
                .isEqualTo(RequestRefusedException.Why.UNAUTHENTICATED);
        assertThat(refusal(() -> locks(options().withToken("made-up"))))
                .isEqualTo(RequestRefusedException.Why.UNAUTHENTICATED);
    }

    @Test
    void aForeignNamespaceLooksEmptyAndAnAcquireThereFailsAtOnce() {
        RemoteOptions foreign = options().withToken(token).withNamespace("team-b");
        assertThat(refusal(() -> locks(foreign)))
                .isEqualTo(RequestRefusedException.Why.NOT_PERMITTED);
        try (RemoteLeaseStore store = RemoteLeaseStore.connect(foreign)) {
            assertThat(store.list(LeaseQuery.all()).toCompletableFuture().join().leases())
                    .isEmpty();
        }
    }

    @Test
    void aServerOfStrangersIsNotBelieved() {
        RemoteOptions mistrusting = options().trusting(strangers.authority()).withToken(token);
        assertThatThrownBy(() -> RemoteLeaseStore.connect(mistrusting))
                .isInstanceOf(StoreUnavailableException.class);
    }
}
