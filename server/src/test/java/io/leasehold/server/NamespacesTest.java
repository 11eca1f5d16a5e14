// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static io.leasehold.server.Requests.acquire;
import static io.leasehold.server.Requests.grant;
import static io.leasehold.server.Requests.release;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.AdmitRequest;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.protocol.v1.CheckRequest;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.Security;
import io.leasehold.server.access.TokenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Namespaces are apart, bounded, and look empty to those who may not see them. */
final class NamespacesTest {

    private static ServerOptions few(ServerOptions options) {
        ServerOptions.Bounds bounds = options.bounds();
        return options.withBounds(new ServerOptions.Bounds(bounds.calls(), 3, bounds.drain()));
    }

    private static AcquireRequest in(String namespace) {
        return acquire("lock").setNamespace(namespace).build();
    }

    @Test
    void theSameNameInAnotherNamespaceIsAnotherLock() {
        try (TestServer server = TestServer.onMemory()) {
            assertThat(server.calls().acquire(in("a")).hasGranted()).isTrue();
            assertThat(server.calls().acquire(in("b")).hasGranted()).isTrue();
            assertThat(server.calls().acquire(in("")).hasGranted()).isTrue();
            assertThat(server.calls().acquire(in("default")).hasHeld()).isTrue();
        }
    }

    @Test
    void thereIsAMostOfThemAndReadingOpensNone(@TempDir Path directory) {
        Path data = directory.resolve("data");
        try (TestServer server = TestServer.start(few(TestServer.options("journal:" + data)))) {
            for (int i = 0; i < 10; i++) {
                ListRequest request =
                        ListRequest.newBuilder().setNamespace("read-" + i).build();
                assertThat(server.calls().list(request).getLeasesCount()).isZero();
            }
            assertThat(server.calls().acquire(in("one")).hasGranted()).isTrue();
            assertThat(server.calls().acquire(in("two")).hasGranted()).isTrue();
            Failure failure = GrpcCallsTest.failure(
                    Status.Code.RESOURCE_EXHAUSTED, () -> server.calls().acquire(in("three")));
            assertThat(failure.getLimit()).isEqualTo("namespaces");
            assertThat(failure.getLimitValue()).isEqualTo(3);
            assertThat(data.resolve("two")).isDirectory();
            assertThat(Files.exists(data.resolve("read-1"))).isFalse();
        }
    }

    @Test
    void marksOfGuardsTakeRoomLikeLeases(@TempDir Path directory) {
        Path data = directory.resolve("data");
        try (TestServer server = TestServer.start(few(TestServer.options("journal:" + data)))) {
            assertThat(server.calls().admit(admission("one")).hasAdmitted()).isTrue();
            assertThat(server.calls().seal(admission("two")).hasAdmitted()).isTrue();
            Failure failure = GrpcCallsTest.failure(
                    Status.Code.RESOURCE_EXHAUSTED, () -> server.calls().admit(admission("three")));
            assertThat(failure.getLimit()).isEqualTo("namespaces");
            assertThat(Files.exists(data.resolve("three~guards"))).isFalse();

            assertThat(server.calls().acquire(in("one")).hasGranted()).isTrue();
            assertThat(server.calls().admit(admission("default")).hasAdmitted()).isTrue();
        }
    }

    private static AdmitRequest admission(String namespace) {
        return AdmitRequest.newBuilder()
                .setNamespace(namespace)
                .setResource("printer")
                .setToken(7)
                .build();
    }

    @Test
    void aNamespaceOnDiskIsFoundByReadersAfterARestart(@TempDir Path directory) {
        String store = "journal:" + directory.resolve("data");
        try (TestServer server = TestServer.start(TestServer.options(store))) {
            assertThat(server.calls().acquire(in("kept")).hasGranted()).isTrue();
        }
        try (TestServer server = TestServer.start(TestServer.options(store))) {
            ListRequest request = ListRequest.newBuilder().setNamespace("kept").build();
            assertThat(server.calls().list(request).getLeasesCount()).isEqualTo(1);
        }
    }

    @Test
    void aDiskThatIsNotMountedDoesNotBecomeAnEmptyStore(@TempDir Path directory) {
        Path data = directory.resolve("mount/leasehold");
        assertThatThrownBy(() -> TestServer.start(TestServer.options("journal:" + data)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("there is no directory " + directory.resolve("mount"))
                .hasMessageContaining("mount");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aDiskThatIsUnmountedLaterDoesNotBecomeAnEmptyStore(@TempDir Path directory)
            throws IOException {
        Path data = directory.resolve("data");
        try (TestServer server = TestServer.start(TestServer.options("journal:" + data))) {
            Files.move(data, directory.resolve("elsewhere"));
            GrpcCallsTest.failure(Status.Code.UNAVAILABLE, () -> server.calls().acquire(in("new")));
            assertThat(data).doesNotExist();
            Files.move(directory.resolve("elsewhere"), data);
            assertThat(server.calls().acquire(in("new")).hasGranted()).isTrue();
        }
    }

    @Test
    void anEmptyMountPointInPlaceOfTheDataDoesNotBecomeAnEmptyStore(@TempDir Path directory)
            throws IOException {
        Path data = Files.createDirectory(directory.resolve("mountpoint"));
        try (TestServer server = TestServer.start(TestServer.options("journal:" + data))) {
            Files.move(data, directory.resolve("disk"));
            Files.createDirectory(data);
            GrpcCallsTest.failure(Status.Code.UNAVAILABLE, () -> server.calls().acquire(in("new")));
            GrpcCallsTest.failure(
                    Status.Code.UNAVAILABLE,
                    () -> server.calls()
                            .list(ListRequest.newBuilder().setNamespace("old").build()));
            assertThat(data).isEmptyDirectory();
            Files.delete(data);
            Files.move(directory.resolve("disk"), data);
            assertThat(server.calls().acquire(in("new")).hasGranted()).isTrue();
        }
    }

    private static ServerOptions withTokens(TokenFile file) {
        return TestServer.options("memory")
                .withSecurity(new Security(
                        Optional.of(file.path()), Optional.empty(), Optional.empty(), false));
    }

    @Test
    void aForeignNamespaceLooksEmptyAndCantBeChanged(@TempDir Path directory) {
        TokenFile file = TokenFile.at(directory.resolve("tokens"));
        String owner = file.create("owner", List.of(AccessRule.parse("*=admin")));
        String token = file.create("tenant", List.of(AccessRule.parse("own*=acquire,read")));
        ServerOptions options = withTokens(file);
        try (TestServer server = TestServer.start(options)) {
            Grant grant = grant(
                    server.calls().withCallCredentials(new Bearer(owner)).acquire(in("foreign")));
            var tenant = server.calls().withCallCredentials(new Bearer(token));
            assertThat(tenant.acquire(in("own-1")).hasGranted()).isTrue();
            assertThat(tenant.list(
                            ListRequest.newBuilder().setNamespace("foreign").build()))
                    .isEqualTo(tenant.list(
                            ListRequest.newBuilder().setNamespace("nowhere").build()));
            assertThat(tenant.list(ListRequest.newBuilder()
                                    .setNamespace("foreign")
                                    .setOverlapping("name:lock")
                                    .build())
                            .getLeasesCount())
                    .isZero();
            assertThat(tenant.check(CheckRequest.newBuilder()
                                    .setNamespace("foreign")
                                    .setScope("name:lock")
                                    .setToken(grant.getToken())
                                    .build())
                            .getStanding())
                    .isEqualTo(CheckReply.Standing.UNKNOWN);
            Failure denied = GrpcCallsTest.failure(
                    Status.Code.PERMISSION_DENIED, () -> tenant.acquire(in("foreign")));
            assertThat(denied.getKind()).isEqualTo(Failure.Kind.PERMISSION_DENIED);
            GrpcCallsTest.failure(
                    Status.Code.PERMISSION_DENIED,
                    () -> tenant.release(
                            release(grant).toBuilder().setNamespace("foreign").build()));
        }
    }

    @Test
    void nobodyIsNobody(@TempDir Path directory) {
        TokenFile file = TokenFile.at(directory.resolve("tokens"));
        file.createForCertificate("someone", List.of(AccessRule.parse("*=admin")));
        ServerOptions options = withTokens(file);
        try (TestServer server = TestServer.start(options)) {
            Failure failure = GrpcCallsTest.failure(
                    Status.Code.UNAUTHENTICATED, () -> server.calls().acquire(in("a")));
            assertThat(failure.getKind()).isEqualTo(Failure.Kind.UNAUTHENTICATED);
            assertThat(server.session().end())
                    .failsWithin(java.time.Duration.ofSeconds(30))
                    .withThrowableThat()
                    .withMessageContaining("UNAUTHENTICATED");
        }
    }
}
