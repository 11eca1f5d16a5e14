// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.cli.http.StubServer;
import io.leasehold.cli.json.JsonReader;
import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.engine.StoreAddress;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What others wrote reaches no terminal in a way that a person does not see. */
final class PrintableWriterTest {

    private static final String NAME =
            "pay\u202ellor\u200b\u2066\ufeff\u00ad-\u00fc\u4e2d\ud83d\ude00";
    private static final String SEEN =
            "pay\\u202ellor\\u200b\\u2066\\ufeff\\u00ad-\u00fc\u4e2d\ud83d\ude00";
    private static final String UNSEEN = "[\\p{Cf}\\p{Cc}\\p{Zl}\\p{Zp}&&[^\\n]]";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int leasehold(String... args) {
        out.getBuffer().setLength(0);
        return Main.execute(Main.commandLine(args), printable(out), printable(err), args);
    }

    private static PrintableWriter printable(StringWriter out) {
        return new PrintableWriter(new PrintWriter(out), StandardCharsets.UTF_8);
    }

    @Test
    void namesWithHiddenCharactersAreShownWithThemEscaped() {
        try (LeaseholdServer server = LeaseholdServer.start(
                ServerOptions.on(StoreAddress.parse("memory")).withPort(0))) {
            String address = "http://127.0.0.1:" + server.port();
            assertThat(leasehold("acquire", "--lock", NAME, "--export", "--server", address))
                    .isZero();
            assertThat(out.toString()).as("for a shell").contains("'name:" + NAME + "'");
            assertThat(leasehold("list", "--server", address)).isZero();
            assertThat(out.toString()).contains("name:" + SEEN).doesNotContainPattern(UNSEEN);
            assertThat(leasehold("show", NAME, "--server", address)).isZero();
            assertThat(out.toString()).contains("name:" + SEEN).doesNotContainPattern(UNSEEN);
            assertThat(leasehold("list", "--output", "json", "--server", address))
                    .isZero();
            assertThat(out.toString()).doesNotContainPattern(UNSEEN);
            assertThat(JsonReader.object(out.toString())
                            .objects("leases")
                            .get(0)
                            .texts("scopes"))
                    .containsExactly("name:" + NAME);
            assertThat(leasehold("run", "--lock", NAME, "--server", address, "--", "true"))
                    .isEqualTo(ExitCodes.BUSY);
            assertThat(err.toString()).contains(SEEN).doesNotContainPattern(UNSEEN);
        }
    }

    @Test
    void theMessageOfAServerIsOneLineWithoutCommandsForTheTerminal() {
        try (StubServer server = new StubServer()) {
            server.on(
                    "/v1/leases",
                    400,
                    "{\"reason\":\"INVALID\",\"detail\":\"a\\u001b[31mb\\nleasehold: c\\u0007\"}");
            assertThat(leasehold("list", "--server", server.url())).isNotZero();
            assertThat(err.toString())
                    .contains("a\\u001b[31mb\\u000aleasehold: c\\u0007")
                    .hasLineCount(1)
                    .doesNotContain("\u001b");
        }
    }

    @Test
    void whatAServerSaysOfItselfIsInItsLineWithoutCommandsForTheTerminal() {
        try (StubServer server = new StubServer()) {
            server.on(
                    "/v1/info",
                    200,
                    "{\"engine\":\"A\\u001b[31mB\\nok\",\"caveats\":[\"C\\nD\"],\"version\":\"1\"}");
            int unused = leasehold("doctor", "--server", server.url());
            assertThat(out.toString() + err)
                    .contains("A\\u001b[31mB\\u000aok")
                    .contains("C\\u000aD")
                    .doesNotContain("\u001b");
        }
    }

    @Test
    void theReasonOfAServerIsOneLineWithoutCommandsForTheTerminal() {
        try (StubServer server = new StubServer()) {
            server.on("/v1/leases", 400, "{\"reason\":\"A\\u001b[8mB\\nleasehold: c\"}");
            assertThat(leasehold("list", "--server", server.url())).isNotZero();
            assertThat(err.toString())
                    .contains("A\\u001b[8mB\\u000aleasehold: c")
                    .hasLineCount(1)
                    .doesNotContain("\u001b");
        }
    }

    @Test
    void lettersThatAreNotSeenAreEscaped() {
        PrintWriter printable = printable(out);
        printable.print("a\u034fb\ufe0fc\u3164");
        printable.flush();
        assertThat(out.toString()).isEqualTo("a\\u034fb\\ufe0fc\\u3164");
    }

    @Test
    void whatTheCharacterSetHasNotIsEscapedAndNoQuestionMark() {
        PrintWriter printable =
                new PrintableWriter(new PrintWriter(out), StandardCharsets.ISO_8859_1);
        printable.print("n\u00fcchtern, \u4e2d\ud83d\ude00?");
        printable.flush();
        assertThat(out.toString()).isEqualTo("n\u00fcchtern, \\u4e2d\\ud83d\\ude00?");
    }

    @Test
    void progressIsDrawnAndNotEscaped() {
        CommandLine bench = Main.commandLine("bench")
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.ON));
        String[] args = {"bench", "--store", "memory", "--duration", "200ms", "--clients", "1"};
        assertThat(Main.execute(bench, printable(out), printable(err), args))
                .as(err.toString())
                .isZero();
        assertThat(err.toString()).contains("\r\u001b[K").doesNotContain("\\u");
    }

    @Test
    void linesAndColoursStay() {
        PrintWriter printable = printable(out);
        printable.print("\u001b[1mbold\u001b[0m\u001b]0;title\u0007\n");
        printable.flush();
        assertThat(out.toString()).isEqualTo("\u001b[1mbold\u001b[0m\\u001b]0;title\\u0007\n");
    }

    @Test
    void stylesThatHideWhatTheyStandAroundAreEscaped() {
        PrintWriter printable = printable(out);
        printable.print("\u001b[1;32mgood\u001b[39;0m\u001b[8mhidden\u001b[30;40mblack");
        printable.flush();
        assertThat(out.toString())
                .isEqualTo("\u001b[1;32mgood\u001b[39;0m\\u001b[8mhidden\\u001b[30;40mblack");
    }
}
