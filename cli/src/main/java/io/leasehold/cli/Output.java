// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How and where a command speaks: what was asked for on standard output, the rest on error. */
final class Output {

    enum Format {
        TEXT,
        JSON;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How a line stands out. */
    enum Style {
        PLAIN("0"),
        GOOD("32"),
        BAD("31"),
        BOLD("1");

        private final String code;

        Style(String code) {
            this.code = code;
        }
    }

    @Option(
            names = "--output",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "How to print: text (the default) or json.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Format format;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    boolean isJson() {
        return format == Format.JSON;
    }

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /** One JSON value on a line of its own. */
    void json(Object value) {
        line(Json.write(value));
    }

    void line(String line) {
        out().println(line);
        out().flush();
    }

    /** Text for a shell, every character as it is. */
    void exact(String text) {
        PrintWriter out = PrintableWriter.exact(out());
        out.print(text);
        out.flush();
    }

    /** Progress in a line that is written over, on a terminal; empty to clear it. */
    void progress(String line) {
        if (isOnTerminal() && !isJson()) {
            PrintWriter err = PrintableWriter.exact(err());
            err.print(line.isEmpty() ? "\r\u001b[K" : "\r" + line);
            err.flush();
        }
    }

    /** News beside what was asked for. */
    void say(String message) {
        err().println(
                        isJson()
                                ? Json.write(Json.object("message", message))
                                : "leasehold: " + message);
        err().flush();
    }

    /** Why it failed; returns the exit code. */
    int fail(int code, String message) {
        Failures.print(spec.commandLine(), isJson(), code, message);
        return code;
    }

    /** The text in a style, on a terminal. What is foreign in it is not interpreted. */
    String styled(Style style, String text) {
        return style == Style.PLAIN || !isOnTerminal()
                ? text
                : "\u001b[" + style.code + "m" + text + "\u001b[0m";
    }

    boolean isOnTerminal() {
        return spec.commandLine().getColorScheme().ansi().enabled();
    }

    CommandSpec command() {
        return spec;
    }
}
