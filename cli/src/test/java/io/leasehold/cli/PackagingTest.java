// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The unit of systemd, the Dockerfile and the sample configuration fit what is built. */
final class PackagingTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Map<String, Set<String>> UNIT_KEYS = Map.of(
            "Unit", Set.of("Description", "After", "Wants"),
            "Service",
                    Set.of(
                            "Type",
                            "User",
                            "Group",
                            "ExecStart",
                            "Restart",
                            "RestartSec",
                            "KillSignal",
                            "TimeoutStopSec",
                            "LimitNOFILE",
                            "StateDirectory",
                            "StateDirectoryMode",
                            "LogsDirectory",
                            "LogsDirectoryMode",
                            "ConfigurationDirectory",
                            "WorkingDirectory",
                            "UMask",
                            "NoNewPrivileges",
                            "ProtectSystem",
                            "ProtectHome",
                            "PrivateTmp",
                            "PrivateDevices",
                            "ProtectKernelTunables",
                            "ProtectKernelModules",
                            "ProtectControlGroups",
                            "RestrictAddressFamilies",
                            "RestrictNamespaces",
                            "LockPersonality",
                            "CapabilityBoundingSet"),
            "Install", Set.of("WantedBy"));

    private static final Set<String> INSTRUCTIONS = Set.of(
            "FROM",
            "WORKDIR",
            "COPY",
            "RUN",
            "ENV",
            "USER",
            "VOLUME",
            "EXPOSE",
            "STOPSIGNAL",
            "ENTRYPOINT",
            "CMD");

    private static final String INSTALLED = "/usr/share/leasehold/leasehold.jar";

    private static List<String> lines(String file) throws IOException {
        return Files.readAllLines(ROOT.resolve("packaging").resolve(file)).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
    }

    @Test
    void theUnitHasOnlyKeysThatSystemdKnowsEachOnce() throws IOException {
        String section = "";
        List<String> seen = new ArrayList<>();
        for (String line : lines("leasehold.service")) {
            if (line.startsWith("[")) {
                section = line.substring(1, line.length() - 1);
                assertThat(UNIT_KEYS).containsKey(section);
            } else {
                String key = line.substring(0, line.indexOf('='));
                assertThat(UNIT_KEYS.getOrDefault(section, Set.of()))
                        .as(section)
                        .contains(key);
                assertThat(seen).doesNotContain(key);
                seen.add(key);
            }
        }
        assertThat(seen).contains("ExecStart", "User", "WantedBy", "NoNewPrivileges");
    }

    @Test
    void theUnitStartsTheServerAsItCanBeStarted() throws IOException {
        String start = lines("leasehold.service").stream()
                .filter(line -> line.startsWith("ExecStart="))
                .findFirst()
                .orElseThrow();
        assertThat(start).contains(" -jar " + INSTALLED + " serve ");
        List<String> arguments =
                List.of(start.substring(start.indexOf(" serve ") + 1).split(" ", -1));
        assertThat(Main.commandLine()
                        .parseArgs(arguments.toArray(String[]::new))
                        .subcommand()
                        .matchedOptionValue("--config", Path.of("")))
                .isEqualTo(Path.of("/etc/leasehold/leasehold.properties"));
    }

    @Test
    void whateverStartsTheServerEndsItWhenTheHeapIsFull() throws IOException {
        String option = " -XX:+ExitOnOutOfMemoryError ";
        assertThat(lines("leasehold.service"))
                .anyMatch(line -> line.startsWith("ExecStart=") && line.contains(option));
        assertThat(instructions())
                .anyMatch(line -> line.startsWith("ENTRYPOINT ") && line.contains(option.strip()));
        assertThat(Files.readAllLines(ROOT.resolve("leasehold")))
                .anyMatch(line -> line.contains("serve)") && line.contains(option));
    }

    @Test
    void theSampleConfigurationIsOne() throws IOException {
        Path sample = ROOT.resolve("packaging/leasehold.properties");
        ServeSettings settings = ServeSettings.of(setting -> null, Map.of(), Optional.of(sample));
        assertThat(settings.store()).hasToString("journal:/var/lib/leasehold/data");
        // what is commented out must be right as well
        Properties all = new Properties();
        String text = Files.readString(sample).replaceAll("(?m)^#(?=[a-z-]+ = )", "");
        all.load(new StringReader(text));
        assertThat(Arrays.stream(ServeSetting.values()).map(ServeSetting::key))
                .containsAll(all.stringPropertyNames());
        assertThat(all.stringPropertyNames()).contains("tokens", "tls-cert", "tls-client-ca");
    }

    @Test
    void theDockerfileHasOnlyInstructionsThatThereAre() throws IOException {
        List<String> instructions = instructions();
        assertThat(instructions)
                .allSatisfy(instruction -> assertThat(INSTRUCTIONS)
                        .contains(instruction.substring(0, instruction.indexOf(' '))));
        assertThat(instructions.get(0)).startsWith("FROM ");
        assertThat(instructions).filteredOn(line -> line.startsWith("USER ")).hasSize(1);
        for (String line : instructions) {
            if (line.startsWith("ENTRYPOINT ") || line.startsWith("CMD ")) {
                assertThat(line).matches("[A-Z]+ \\[\"[^\"]+\"(, \"[^\"]+\")*]");
            }
            if (line.startsWith("ENV ")) {
                Arrays.stream(line.substring(4).strip().split("\\s+", -1))
                        .map(pair -> pair.substring(0, pair.indexOf('=')))
                        .forEach(name -> assertThat(ServeSetting.values())
                                .anyMatch(setting -> setting.variable().equals(name)));
            }
        }
    }

    @Test
    void theDockerfileCopiesWhatIsThereAndStartsWhatItCopied() throws IOException {
        List<String> copied = new ArrayList<>();
        for (String line : instructions()) {
            if (line.startsWith("COPY ") && !line.contains("--from")) {
                List<String> words = List.of(line.split("\\s+", -1));
                words.subList(1, words.size() - 1)
                        .forEach(source -> assertThat(ROOT.resolve(source)).exists());
            } else if (line.startsWith("COPY --from=build ")) {
                copied.addAll(List.of(line.split("\\s+", -1)).subList(2, 4));
            }
        }
        assertThat(copied)
                .containsExactly(
                        "/src/cli/target/quick/leasehold.jar",
                        INSTALLED,
                        "/src/cli/target/quick/lib",
                        "/usr/share/leasehold/lib");
        assertThat(Files.readString(ROOT.resolve("pom.xml"))).contains("/target/quick</directory>");
        assertThat(instructions())
                .anyMatch(line -> line.startsWith("ENTRYPOINT ") && line.contains(INSTALLED));
        assertThat(ROOT.resolve("mvnw")).isExecutable();
    }

    /** By default the JVM writes it to standard output, which belongs to the command that is run. */
    @Test
    void aThreadDumpGoesToStandardErrorHoweverTheCommandIsStarted() throws IOException {
        for (String starts : List.of("leasehold", "packaging/Dockerfile")) {
            assertThat(Files.readString(ROOT.resolve(starts)))
                    .as(starts)
                    .contains(CommandProcess.THREAD_DUMPS_TO_STANDARD_ERROR);
        }
    }

    private static List<String> instructions() throws IOException {
        return List.of(String.join("\n", lines("Dockerfile"))
                .replaceAll("\\\\\n\\s*", " ")
                .split("\n", -1));
    }
}
