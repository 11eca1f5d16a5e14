// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.server.ServerOptions;
import io.leasehold.server.access.EdgeLimits;
import io.leasehold.server.access.Security;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServeSettingsTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private final Map<ServeSetting, String> options = new EnumMap<>(ServeSetting.class);

    private ServerOptions read(Map<String, String> environment, String... lines)
            throws IOException {
        Path file = directory.resolve("leasehold.properties");
        Files.writeString(file, String.join("\n", lines));
        return ServeSettings.of(options::get, environment, Optional.of(file)).toOptions();
    }

    @Test
    void withoutAnySettingItIsAJournalForThisMachineAlone() throws IOException {
        ServerOptions usual = read(Map.of());
        assertThat(usual.store()).hasToString("journal:leasehold-data");
        assertThat(usual.listen()).isEqualTo(new ServerOptions.Listen("127.0.0.1", 5327));
        assertThat(usual.security()).isEqualTo(Security.open());
        assertThat(usual.limits()).isEqualTo(EdgeLimits.defaults());
        assertThat(usual.bounds()).isEqualTo(ServerOptions.Bounds.defaults());
    }

    @Test
    void anOptionGoesBeforeTheEnvironmentAndThatBeforeTheFile() throws IOException {
        assertThat(read(Map.of(), "port = 1").listen().port()).isEqualTo(1);
        assertThat(read(Map.of("LEASEHOLD_PORT", "2"), "port = 1").listen().port())
                .isEqualTo(2);
        options.put(ServeSetting.PORT, "3");
        assertThat(read(Map.of("LEASEHOLD_PORT", "2"), "port = 1").listen().port())
                .isEqualTo(3);
    }

    /** Such as {@code --tokens "$TOKENS"} where nobody has set TOKENS. */
    @Test
    void anEmptyValueIsAnErrorAndNotAnOpenServer() {
        wrong("tokens =", "tokens in ", "empty");
        assertThatThrownBy(() -> read(Map.of("LEASEHOLD_TOKENS", "")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("LEASEHOLD_TOKENS is empty");
        options.put(ServeSetting.TOKENS, "");
        assertThatThrownBy(() -> read(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--tokens is empty");
        options.put(ServeSetting.TOKENS, " ");
        assertThatThrownBy(() -> read(Map.of())).hasMessageContaining("--tokens is empty");
    }

    @Test
    void everySettingIsTakenUp() throws IOException {
        ServerOptions all = read(
                Map.of(),
                "host = 0.0.0.0",
                "port = 7",
                "store = memory",
                "tokens = t",
                "tls-cert = c",
                "tls-key = k",
                "tls-client-ca = a",
                "insecure = true",
                "audit-log = l",
                "max-connections = 11",
                "max-namespaces = 12",
                "namespace-idle = 19s",
                "max-leases = 13",
                "max-calls = 14",
                "max-watches = 18",
                "max-sessions = 20",
                "idle-timeout = 15s",
                "body-timeout = 16s",
                "drain = 17s");
        assertThat(all.security().toString()).contains("t", "c", "k", "a", "true", "l");
        assertThat(all.limits().toString())
                .contains("11", "13", "14", "18", "20", "PT15S", "PT16S");
        assertThat(all.bounds().namespaces().most()).isEqualTo(12);
        assertThat(all.bounds().namespaces().idle()).hasSeconds(19);
        assertThat(all.bounds().drain()).hasSeconds(17);
    }

    @Test
    void whatIsWrongIsSaidWithWhereItCameFrom() {
        wrong("port = 70000", "port in ", "'70000'", "0 to 65535");
        wrong("port = x", "whole number");
        wrong("drain = 5", "drain in ", "no time");
        wrong("max-calls = 0", "above 0");
        wrong("max-watches = 0", "above 0");
        wrong("max-sessions = 0", "above 0");
        wrong("insecure = maybe", "true or false");
        wrong("log-levle = info", "'log-levle'", "no setting");
        wrong("tls-cert = c", "--tls-cert and --tls-key go together");
        wrong("tls-client-ca = c", "needs --tls-cert");
        assertThatThrownBy(() -> read(Map.of("LEASEHOLD_STORE", "redos://:secret@host")))
                .hasMessageContaining("LEASEHOLD_STORE")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> ServeSettings.of(
                        options::get, Map.of(), Optional.of(directory.resolve("none"))))
                .hasMessageContaining("there is none");
    }

    private void wrong(String line, String... words) {
        assertThatThrownBy(() -> read(Map.of(), line))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(e -> assertThat(e.getMessage()).contains(words));
    }

    @Test
    void helpShowsEveryOptionWithItsVariableAndDefault() {
        StringWriter out = new StringWriter();
        int code = Main.commandLine().setOut(new PrintWriter(out, true)).execute("serve", "--help");
        assertThat(code).isZero();
        String help = out.toString().replaceAll("\\s+", " ");
        for (ServeSetting setting : ServeSetting.values()) {
            assertThat(help).contains(setting.option(), "(" + setting.variable());
            assertThat(help).contains(setting.isFlag() ? "" : setting.whenMissing());
        }
        assertThat(help).contains("--config", "LEASEHOLD_CONFIG");
    }

    @Test
    void theOperationsPageHasEverySetting() throws IOException {
        String page =
                Files.readString(Path.of("").toAbsolutePath().resolveSibling("docs/operations.md"));
        for (ServeSetting setting : ServeSetting.values()) {
            assertThat(page)
                    .contains("| `" + setting.option() + "` | `" + setting.variable() + "` | "
                            + setting.whenMissing());
        }
    }
}
