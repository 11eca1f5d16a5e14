// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.cli.json.JsonObject;
import io.leasehold.cli.json.JsonReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MainTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int leasehold(String... args) {
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(args);
    }

    @Test
    void helpNamesEveryCommand() {
        assertThat(leasehold("--help")).isZero();
        assertThat(out.toString()).contains("Usage: leasehold", "demo");
        assertThat(err.toString()).isEmpty();
    }

    private String errorOf(String... args) {
        return errorOf(2, args);
    }

    private String errorOf(int code, String... args) {
        err.getBuffer().setLength(0);
        assertThat(leasehold(args)).isEqualTo(code);
        assertThat(out.toString()).isEmpty();
        return err.toString();
    }

    @Test
    void wrongUsageIsExplainedInTwoLinesThatSayWhatWasMeantAndWhereToLook() {
        assertThat(errorOf("dmeo")).isEqualTo("""
                        leasehold: there is no command 'dmeo'; did you mean 'demo'?
                        See 'leasehold --help'.
                        """);
        assertThat(errorOf()).isEqualTo("leasehold: no command given\nSee 'leasehold --help'.\n");
        assertThat(errorOf("run", "--lokc", "x", "--", "true")).isEqualTo("""
                        leasehold: there is no option '--lokc'; did you mean '--lock'?
                        See 'leasehold run --help'.
                        """);
        assertThat(errorOf("demo", "--yaml")).isEqualTo("""
                        leasehold: there is no option '--yaml'
                        See 'leasehold demo --help'.
                        """);
        assertThat(errorOf("journal", "chekc", "x"))
                .startsWith("leasehold: there is no command 'chekc'; did you mean 'check'?\n")
                .contains("See 'leasehold journal --help'.");
        assertThat(errorOf("run", "--lock", "a", "--ttl", "soon", "--", "true"))
                .startsWith("leasehold: ")
                .contains("soon")
                .endsWith("See 'leasehold run --help'.\n")
                .hasLineCount(2);
        assertThat(errorOf("show", "a", "b"))
                .startsWith("leasehold: 'b' is one argument too many\n")
                .hasLineCount(2);
    }

    @Test
    void withOutputJsonErrorsAreJsonToo() {
        for (String[] args : new String[][] {
            {"list", "--limti", "3", "--output", "json"}, {"list", "--output=json", "--limit", "x"}
        }) {
            JsonObject error = JsonReader.object(errorOf(args));
            assertThat(error.text("error")).isEqualTo("usage");
            assertThat(error.number("exitCode")).isEqualTo(2);
            assertThat(error.text("message")).isNotEmpty();
        }
        err.getBuffer().setLength(0);
        // nobody listens at the port of "discard"
        assertThat(leasehold("list", "--server", "http://127.0.0.1:9", "--output", "json"))
                .isEqualTo(69);
        JsonObject error = JsonReader.object(err.toString());
        assertThat(error.text("error")).isEqualTo("unreachable");
        assertThat(error.text("message")).contains("can't reach http://127.0.0.1:9");
        assertThat(error.number("exitCode")).isEqualTo(69);
        err.getBuffer().setLength(0);
        assertThat(leasehold("run", "--lock", "a", "--output", "json", "--", "no-such-command"))
                .isEqualTo(127);
        assertThat(JsonReader.object(err.toString()).text("error")).isEqualTo("not-found");
    }

    @Test
    void whatIsWrongWithAFileIsToldInWords(@TempDir Path directory) throws IOException {
        Path file = Files.write(directory.resolve("file"), new byte[] {(byte) 0xff});
        Path missing = directory.resolve("missing").resolve("lease");
        assertThat(errorOf(1, "journal", "check", file.toString()))
                .isEqualTo("leasehold: the journal " + file + " can't be read: " + file
                        + ": it is no directory\n");
        assertThat(errorOf(2, "renew", "--lease-file", file.toString()))
                .startsWith("leasehold: can't read the lease in " + file
                        + ": it is no text in UTF-8\n");
        Files.writeString(file, "{}");
        assertThat(errorOf(2, "renew", "--lease-file", file.toString()))
                .startsWith(
                        "leasehold: can't read the lease in " + file + ": it is no lease file\n");
        assertThat(errorOf(
                        1,
                        "acquire",
                        "--lock",
                        "a",
                        "--store",
                        "memory",
                        "--lease-file",
                        missing.toString()))
                .isEqualTo("leasehold: can't write to the directory of " + missing + "\n");
    }

    @Test
    void theDemoLosesDataWithoutAGuardAndRefusesTheStaleWriteWithOne() {
        assertThat(leasehold("demo")).isZero();
        assertThat(out.toString())
                .containsSubsequence(
                        "Without a guard",
                        "A      token 1  acquires the lock",
                        "B      token 2  gets the lock",
                        "A      token 1  the write is taken; B's 25 are gone",
                        "the balance is 150: but 100 + 25 + 50 = 175",
                        "With a guard",
                        "A      token 1  the write is refused: stale token 1: the balance has seen token 2",
                        "A      token 1  learns that its lease is lost",
                        "A      token 3  acquires the lock again",
                        "the balance is 175: 100 + 25 + 50, nothing lost");
    }

    @Test
    void theDemoIsPlainTextWhenItIsNotOnATerminal() {
        leasehold("demo");
        assertThat(out.toString()).doesNotContain("\u001b");
    }

    @Test
    void theDemoIsTheSameEveryTime() {
        leasehold("demo");
        String first = out.toString();
        out.getBuffer().setLength(0);
        leasehold("demo");
        assertThat(out.toString()).isEqualTo(first);
    }

    @Test
    void theDemoSpeaksJsonToMachines() {
        assertThat(leasehold("demo", "--json")).isZero();
        List<String> lines = out.toString().lines().toList();
        Pattern object = Pattern.compile(
                "\\{\"run\":\"(un)?guarded\",\"atMillis\":\\d+,\"actor\":\"[AB]?\","
                        + "\"token\":(null|\"\\d+\"),\"kind\":\"[a-z]+\",\"text\":\"([^\"\\\\]|\\\\.)*\"}");
        assertThat(lines)
                .hasSizeGreaterThan(15)
                .allMatch(line -> object.matcher(line).matches());
    }
}
