// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.DemoStep.Kind;
import io.leasehold.cli.DemoStep.Run;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Help.Ansi;

/** Prints the demo for people: plain text, with colours where the terminal has them. */
final class DemoTimeline {

    private final PrintWriter out;
    private final Ansi ansi;

    DemoTimeline(PrintWriter out, Ansi ansi) {
        this.out = out;
        this.ansi = ansi;
    }

    void print(List<DemoStep> steps) {
        out.println(
                "Two clients add to one balance under the lock 'ledger/42', with leases of 10 s.");
        out.println("Client A is paused for 15 s between its read and its write.");
        print("1. Without a guard: the lock alone", Run.UNGUARDED, steps);
        print(
                "2. With a guard: the balance remembers the highest token it has seen",
                Run.GUARDED,
                steps);
        out.println();
        out.println(
                "A lease keeps things moving when a holder dies; only the guard keeps them right when a holder");
        out.println("comes back. Every grant carries a token: send it along with every write.");
    }

    private void print(String title, Run run, List<DemoStep> steps) {
        out.println();
        out.println(style("bold", title));
        out.println();
        steps.stream().filter(step -> step.run() == run).forEach(this::print);
    }

    private void print(DemoStep step) {
        String token = step.token().map(value -> "token " + value).orElse("");
        String line = String.format(
                Locale.ROOT,
                "  %5.1f s  %-5s  %-7s  %s",
                step.at().toMillis() / 1000.0,
                step.actor(),
                token,
                step.text());
        out.println(style(colour(step.kind()), line.stripTrailing()));
    }

    private static String colour(Kind kind) {
        return switch (kind) {
            case STEP -> "";
            case TROUBLE -> "red";
            case RESCUE -> "green";
            case RESULT -> "bold";
        };
    }

    private String style(String style, String text) {
        return style.isEmpty() || !ansi.enabled()
                ? text
                : ansi.string("@|" + style + " " + text + "|@");
    }
}
