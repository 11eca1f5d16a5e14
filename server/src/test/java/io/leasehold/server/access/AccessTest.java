// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.common.RequestHeadersBuilder;
import io.leasehold.model.DamagedFileException;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.server.api.CallFailedException;
import io.leasehold.testkit.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class AccessTest {

    private static final List<AccessRule> RULES = List.of(AccessRule.parse("team-a=acquire"));

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private final VirtualTime time = VirtualTime.create();

    @SuppressWarnings("NullAway.Init") // set before each test
    private TokenFile file;

    @SuppressWarnings("NullAway.Init") // set before each test
    private String secret;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Access access;

    @BeforeEach
    void someoneIsKnown() {
        file = TokenFile.at(directory.resolve("tokens"));
        secret = file.create("orders", RULES);
        access = Access.byTokens(file, time);
    }

    private static RequestHeaders headers(String... authorization) {
        RequestHeadersBuilder headers = RequestHeaders.builder(HttpMethod.GET, "/v1/info");
        for (String one : authorization) {
            headers.add(HttpHeaderNames.AUTHORIZATION, one);
        }
        return headers.build();
    }

    private Failure refusal(RequestHeaders headers) {
        CallFailedException told = catchThrowableOfType(
                CallFailedException.class, () -> access.identify(headers, null));
        assertThat(told).as("is let in").isNotNull();
        return told.failure();
    }

    @Test
    void aTokenTellsWhoIsAsking() {
        Principal principal = access.identify(headers("Bearer " + secret), null);
        assertThat(principal.name()).isEqualTo("orders");
        assertThat(principal.may(Permission.ACQUIRE, "team-a")).isTrue();
        assertThat(principal.may(Permission.READ, "team-a")).isFalse();
        assertThat(access.identify(headers("bearer  " + secret), null).name()).isEqualTo("orders");
    }

    @Test
    void everythingElseTellsNothing() {
        String other = Secrets.mint();
        String almost =
                secret.substring(0, secret.length() - 1) + (secret.endsWith("A") ? "B" : "A");
        for (String[] authorization : new String[][] {
            {},
            {""},
            {"Bearer"},
            {"Bearer "},
            {secret},
            {"Basic " + secret},
            {"Bearer " + other},
            {"Bearer " + almost},
            {"Bearer " + secret + "x"},
            {"Bearer " + Secrets.hash(secret)},
            {"Bearer " + "x".repeat(100_000)},
            {"Bearer " + secret, "Bearer " + secret},
        }) {
            Failure failure = refusal(headers(authorization));
            assertThat(failure.getKind()).isEqualTo(Failure.Kind.UNAUTHENTICATED);
            assertThat(failure.getMessage()).isNotEmpty().doesNotContain(secret, other, almost);
        }
    }

    @Test
    void whoIsRevokedIsOutWithinASecondAlsoOnAnOpenStream() {
        Principal onAStream = access.identify(headers("Bearer " + secret), null);
        file.revoke("orders");
        time.advance(Duration.ofSeconds(1));
        assertThat(onAStream.may(Permission.ACQUIRE, "team-a")).isFalse();
        assertThat(refusal(headers("Bearer " + secret)).getKind())
                .isEqualTo(Failure.Kind.UNAUTHENTICATED);
    }

    @Test
    void whoIsNewIsInWithinASecondAndTheFileIsNotReadMoreOften() {
        String later = file.create("billing", RULES);
        time.advance(Duration.ofMillis(999));
        assertThat(refusal(headers("Bearer " + later)).getKind())
                .isEqualTo(Failure.Kind.UNAUTHENTICATED);
        time.advance(Duration.ofMillis(1));
        assertThat(access.identify(headers("Bearer " + later), null).name()).isEqualTo("billing");
    }

    @Test
    void aFileThatIsDamagedWhileTheServerRunsLetsNobodyInUntilItIsMended() throws IOException {
        Path path = directory.resolve("tokens");
        String good = Files.readString(path);
        Principal onAStream = access.identify(headers("Bearer " + secret), null);
        Files.writeString(path, good.replace("acquire", "acquire,rea"));
        time.advance(Duration.ofSeconds(1));
        Failure failure = refusal(headers("Bearer " + secret));
        assertThat(failure.getKind()).isEqualTo(Failure.Kind.UNAVAILABLE);
        assertThat(failure.getMessage())
                .contains("nobody is let in")
                .doesNotContain(path.toString());
        assertThat(onAStream.may(Permission.ACQUIRE, "team-a")).isFalse();

        Files.delete(path);
        time.advance(Duration.ofSeconds(1));
        assertThat(refusal(headers("Bearer " + secret)).getKind())
                .isEqualTo(Failure.Kind.UNAVAILABLE);

        Files.writeString(path, good);
        time.advance(Duration.ofSeconds(1));
        assertThat(onAStream.may(Permission.ACQUIRE, "team-a")).isTrue();
    }

    @Test
    void aServerDoesNotStartOnAFileThatIsDamagedOrNotThere() throws IOException {
        Files.writeString(directory.resolve("tokens"), "leasehold-tokens 1\nwhat?\n");
        assertThatThrownBy(() -> Access.byTokens(file, time))
                .isInstanceOf(DamagedFileException.class);
        assertThatThrownBy(() -> Access.byTokens(TokenFile.at(directory.resolve("none")), time))
                .hasMessageContaining("there is none")
                .hasMessageContaining("leasehold token create");
    }

    @Test
    void withoutATokenFileEveryoneIsAnyoneAndMayDoEverything() {
        Principal anyone = Access.open().identify(headers(), null);
        assertThat(anyone.name()).isEqualTo("anyone");
        assertThat(anyone.may(Permission.FORCE, "team-a")).isTrue();
        assertThat(anyone.mayEverywhere(Permission.ADMIN)).isTrue();
    }

    @Test
    void aCertificateHasExactlyOneCommonName() {
        assertThat(CommonName.in("CN=orders,O=Example")).contains("orders");
        assertThat(CommonName.in("CN=a\\,b")).contains("a,b");
        assertThat(CommonName.in("CN=orders,CN=admin")).isEmpty();
        assertThat(CommonName.in("CN=orders+OU=admin")).isEmpty();
        assertThat(CommonName.in("O=CN\\=admin")).isEmpty();
        assertThat(CommonName.in("O=Example")).isEmpty();
        assertThat(CommonName.in("")).isEmpty();
    }
}
