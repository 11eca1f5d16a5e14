// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.model.DamagedFileException;
import io.leasehold.model.LeaseholdException;
import io.leasehold.testkit.DiskFault;
import io.leasehold.testkit.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TokenFileTest {

    private static final List<AccessRule> RULES = List.of(AccessRule.parse("team-*=acquire,read"));

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private TokenFile file() {
        return TokenFile.at(directory.resolve("tokens"));
    }

    @Test
    void aTokenIsToldOnceAndOnlyItsHashIsKept() throws IOException {
        String secret = file().create("orders", RULES);
        assertThat(secret).matches("lh_[A-Za-z0-9_-]{43}");
        assertThat(Files.readString(directory.resolve("tokens")))
                .isEqualTo("leasehold-tokens 1\norders token sha256:" + Secrets.hash(secret)
                        + " team-*=acquire,read\n")
                .doesNotContain(secret.substring("lh_".length()));
        assertThat(file().list().toString())
                .contains("orders")
                .doesNotContain(Secrets.hash(secret));
    }

    @Test
    void twoTokensAreNeverTheSame() {
        assertThat(file().create("a", RULES)).isNotEqualTo(file().create("b", RULES));
    }

    @Test
    void onlyTheOwnerMayReadIt() throws IOException {
        file().create("orders", RULES);
        file().create("billing", RULES);
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(directory.resolve("tokens"))))
                .isEqualTo("rw-------");
    }

    @Test
    void whatIsRevokedIsGoneAndTheRestStays() {
        file().create("orders", RULES);
        file().createForCertificate("backup", List.of(AccessRule.parse("*=read")));
        assertThat(file().revoke("orders")).isTrue();
        assertThat(file().revoke("orders")).isFalse();
        assertThat(file().list()).extracting(TokenEntry::name).containsExactly("backup");
    }

    @Test
    void aNameIsThereOnce() {
        file().create("orders", RULES);
        assertThatThrownBy(() -> file().create("orders", RULES))
                .hasMessageContaining("'orders' already; revoke it first");
        assertThatThrownBy(() -> file().createForCertificate("orders", RULES))
                .hasMessageContaining("'orders' already");
    }

    @Test
    void namesAndRulesThatCouldForgeLinesAreRefused() {
        for (String name : List.of("", "a b", "a\nb", "#a", "anyone", "ä", "a".repeat(129))) {
            assertThatThrownBy(() -> file().create(name, RULES))
                    .as(name)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        for (String rule :
                List.of("", "a", "a=", "=read", "a=write", "A=read", "a b=read", "a*b=read")) {
            assertThatThrownBy(() -> AccessRule.parse(rule))
                    .as(rule)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> file().create("a", List.of())).hasMessageContaining("has no rule");
        assertThat(directory.resolve("tokens")).doesNotExist();
    }

    @Test
    void everyDamageIsRefusedAndStaysAsItIs() throws IOException {
        Path path = directory.resolve("tokens");
        file().create("orders", RULES);
        String good = Files.readString(path);
        List<String> damaged = new ArrayList<>(List.of(
                "",
                "leasehold-tokens 2\n",
                good.replace("sha256:", "md5:"),
                good.replace("token", "toke"),
                good.replace("acquire", "acquires"),
                good.replace(" team-*=acquire,read", ""),
                good + "\n",
                good + good.lines().skip(1).findFirst().orElseThrow() + "\n",
                good + "\u0000\u0000\n"));
        for (int length = 1; length < good.length(); length++) {
            damaged.add(good.substring(0, length));
        }
        // the header alone is a file without anybody in it
        damaged.remove("leasehold-tokens 1\n");
        for (String text : damaged) {
            Files.writeString(path, text);
            assertThatThrownBy(() -> file().list())
                    .as(text)
                    .isInstanceOf(DamagedFileException.class)
                    .hasMessageContaining(path.toString())
                    .hasMessageContaining("Nobody is let in");
            assertThatThrownBy(() -> file().revoke("orders"))
                    .isInstanceOf(DamagedFileException.class);
            assertThat(Files.readString(path)).isEqualTo(text);
        }
    }

    @Test
    void remarksOfPeopleAreNoDamage() throws IOException {
        Files.writeString(
                directory.resolve("tokens"),
                "leasehold-tokens 1\n# für den nächtlichen Lauf\nbackup certificate *=read\n");
        assertThat(file().list()).extracting(TokenEntry::name).containsExactly("backup");
    }

    /** The n-th call to the disk fails, for each n: then there is the old file or the new one. */
    @Test
    void aCrashAtAnyPointLeavesTheOldFileOrTheNewOne() throws Exception {
        int survived = 0;
        for (DiskFault fault :
                List.of(DiskFault.POWER_LOSS, DiskFault.KILL, DiskFault.SHORT_WRITE)) {
            for (int n = 1; n < 40; n++) {
                SimulatedDisk disk = SimulatedDisk.create(n);
                Path folder = Path.of("/etc/leasehold");
                Path path = folder.resolve("tokens");
                disk.createDirectories(folder);
                disk.forceDirectory(Path.of("/etc"));
                TokenFile file = new TokenFile(disk, path, unused -> {});
                file.create("first", RULES);
                byte[] before = disk.bytes(path);
                disk.failAt(n, fault);
                boolean done = attempt(() -> file.create("second", RULES));
                disk.crash();
                disk.restart();
                List<String> names = file.list().stream().map(TokenEntry::name).toList();
                if (done) {
                    assertThat(names)
                            .as("call %s, %s", n, fault)
                            .containsExactly("first", "second");
                    survived++;
                } else if (names.size() == 1) {
                    assertThat(disk.bytes(path)).as("call %s, %s", n, fault).isEqualTo(before);
                } else {
                    assertThat(names)
                            .as("call %s, %s", n, fault)
                            .containsExactly("first", "second");
                }
            }
        }
        assertThat(survived).isBetween(1, 110);
    }

    private static boolean attempt(Runnable action) {
        try {
            action.run();
            return true;
        } catch (LeaseholdException e) {
            return false;
        }
    }

    @Test
    void changesAtTheSameTimeAreAllThere() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Future<String>> made = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                String name = "p" + i;
                made.add(threads.submit(() -> file().create(name, RULES)));
            }
            Set<String> secrets = new HashSet<>();
            for (Future<String> one : made) {
                secrets.add(one.get());
            }
            assertThat(secrets).hasSize(40);
            assertThat(file().list()).hasSize(40);
        } finally {
            threads.shutdown();
        }
    }

    @Test
    void aFileThatIsNotThereIsEmptyToLookAtAndADirectoryIsNone() {
        assertThat(file().list()).isEmpty();
        assertThat(file().revoke("orders")).isFalse();
        assertThatThrownBy(() -> TokenFile.at(directory).list())
                .hasMessageContaining("cannot read the token file " + directory);
    }
}
