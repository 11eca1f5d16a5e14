// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

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

    @Test
    void wrongUsageIsExplainedOnStandardErrorWithExitCodeTwo() {
        assertThat(leasehold("dmeo")).isEqualTo(2);
        assertThat(leasehold()).isEqualTo(2);
        assertThat(leasehold("demo", "--yaml")).isEqualTo(2);
        assertThat(err.toString())
                .contains("dmeo", "no command given", "--yaml", "Usage: leasehold demo");
        assertThat(out.toString()).isEmpty();
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
