// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.RevokeTokenRequest;
import io.leasehold.server.api.CallFailedException;
import io.leasehold.server.api.Caller;
import io.leasehold.testkit.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TokenAdministrationTest {

    @Test
    void aChangeForWhichThereIsNoRoomIsRefusedAndWrittenDown(@TempDir Path directory)
            throws Exception {
        VirtualTime time = VirtualTime.create();
        Path log = directory.resolve("audit.log");
        TokenFile file = TokenFile.at(directory.resolve("tokens"));
        String unused =
                file.create("mallory", List.of(AccessRule.of("*", List.of(Permission.READ))));
        TokenAdministration administration = TokenAdministration.of(
                file,
                new TokenAccess(new LiveTokens(file, time)),
                Audit.toFile(log, time, Runnable::run),
                task -> {
                    throw new RejectedExecutionException();
                });

        CompletableFuture<?> reply = revoke(administration);

        assertThatThrownBy(reply::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        CallFailedException.class,
                        told -> assertThat(told.failure().getKind())
                                .isEqualTo(Failure.Kind.UNAVAILABLE));
        assertThat(Files.readString(log)).contains("revoke-token", "mallory", "UNAVAILABLE");

        for (int i = 0; i < 2_000; i++) {
            assertThat(revoke(administration)).isCompletedExceptionally();
        }
        assertThat(Files.readAllLines(log)).as("refusals of one caller").hasSize(1);
        time.advance(Duration.ofSeconds(1));
        assertThat(Files.readAllLines(log))
                .hasSize(2)
                .last()
                .asString()
                .contains("UNAVAILABLE (the last of 2000)");
    }

    private static CompletableFuture<?> revoke(TokenAdministration administration) {
        return administration
                .revokeToken(
                        new Caller(Anyone.INSTANCE, new CompletableFuture<>()),
                        RevokeTokenRequest.newBuilder().setName("mallory").build())
                .toCompletableFuture();
    }
}
