// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.cli.json.JsonReader;
import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.engine.StoreAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A name is the same lock in every locale, or it is refused: cron's locale has ASCII alone. */
final class LocalesTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private final LeaseholdServer server =
            LeaseholdServer.start(ServerOptions.on(StoreAddress.parse("memory")).withPort(0));

    @AfterEach
    void stop() {
        server.close();
    }

    private Map<String, String> environment(String locale) {
        return Map.of("LC_ALL", locale, "LEASEHOLD_SERVER", "http://127.0.0.1:" + server.port());
    }

    @Test
    void aNameThatIsNoTextInTheLocaleIsNotAnotherLock() throws Exception {
        CommandProcess run = CommandProcess.startBy(
                "exec \"$@\" --lock \"$(printf 'n\\377chtlich')\" -- touch begun",
                directory,
                environment("C"),
                "run");
        assertThat(run.code()).isEqualTo(ExitCodes.USAGE);
        assertThat(run.err())
                .startsWith("leasehold: argument 3 is no text in this locale's character set")
                .contains("; set LC_ALL ", "\nSee 'leasehold --help'.")
                .hasLineCount(2);
        assertThat(directory.resolve("begun")).doesNotExist();
    }

    @Test
    void anArgumentOfTheCommandThatWouldBePassedOnAsAnotherIsRefused() throws Exception {
        Files.createFile(directory.resolve("?"));
        CommandProcess run = CommandProcess.startBy(
                "exec \"$@\" \"$(printf '\\377')\"",
                directory,
                environment("C"),
                "run",
                "--lock",
                "cleaning",
                "--output",
                "json",
                "--",
                "rm");
        assertThat(run.code()).isEqualTo(ExitCodes.USAGE);
        assertThat(JsonReader.object(run.err()).text("message")).contains("argument 8 ");
        assertThat(directory.resolve("?")).exists();
    }

    @Test
    void namesAreTheSameInJsonWhateverTheLocaleHasCharactersFor() throws Exception {
        String name = "n\u00e4chtlich-\u4e2d\ud83d\ude00";
        CommandLine acquire = Main.commandLine("acquire");
        assertThat(acquire.execute(
                        "acquire",
                        "--lock",
                        name,
                        "--lease-file",
                        directory.resolve("lease").toString(),
                        "--server",
                        "http://127.0.0.1:" + server.port()))
                .isZero();
        CommandProcess list =
                CommandProcess.start(directory, environment("C"), "list", "--output", "json");
        assertThat(list.code()).as(list.err()).isZero();
        assertThat(JsonReader.object(list.out()).objects("leases").get(0).texts("scopes"))
                .containsExactly("name:" + name);
    }
}
