// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.spi.Grant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LeaseFileTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private static Grant grant(long token) {
        Claim claim = Claim.shared(Scope.name("it's \"x\""), Scope.range(7, 0, 9));
        return new Grant(
                new Holding(claim, new Holder("me"), new FencingToken(token)),
                new LeaseId(token, -1),
                Duration.ofMillis(1500));
    }

    private static LeaseFile.Kept kept(long token) {
        return new LeaseFile.Kept(grant(token), Optional.of(new StoreId(-1, token)));
    }

    @Test
    void aFileFromBeforeThereWereStoreIdsIsRead() throws IOException {
        LeaseFile file = new LeaseFile(directory.resolve("lease"));
        LeaseFile.Kept old = new LeaseFile.Kept(grant(1), Optional.empty());
        file.write(old);
        assertThat(file.read()).isEqualTo(old);
    }

    @Test
    void whatIsWrittenIsReadAsTheSame() throws IOException {
        LeaseFile file = new LeaseFile(directory.resolve("lease"));
        file.write(kept(1));
        assertThat(file.read()).isEqualTo(kept(1));
    }

    @Test
    void onlyItsOwnerCanReadIt() throws IOException {
        Path path = directory.resolve("lease");
        new LeaseFile(path).write(kept(1));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
    }

    @Test
    void theFileOfAnEarlierLeaseIsReplacedAndNothingElseIsLeft() throws IOException {
        LeaseFile file = new LeaseFile(directory.resolve("lease"));
        file.write(kept(1));
        file.ensureWritable();
        file.write(kept(2));
        assertThat(file.read().grant().token()).isEqualTo(new FencingToken(2));
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).hasSize(1);
        }
    }

    @Test
    void anotherKindOfFileIsNotTouched() throws IOException {
        Path path = directory.resolve("notes");
        for (String content : List.of("my notes", "{}", "{\"kind\":\"leasehold lease\"}", "")) {
            Files.writeString(path, content);
            assertThatThrownBy(() -> new LeaseFile(path).ensureWritable())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("no lease file");
            assertThat(Files.readString(path)).isEqualTo(content);
        }
    }

    @Test
    void aMissingDirectoryIsKnownBeforeALockIsTaken() {
        assertThatThrownBy(() -> new LeaseFile(directory.resolve("no/lease")).ensureWritable())
                .isInstanceOf(IOException.class);
    }

    @Test
    void shellVariablesSurviveAnyName() {
        assertThat(ShellVariables.of(grant(3)))
                .contains("export LEASEHOLD_SCOPE='name:it'\\''s \"x\"\nrange:7:0-9'\n")
                .contains("export LEASEHOLD_TOKEN='3'\n")
                .contains("export LEASEHOLD_MODE='shared'\n");
    }
}
