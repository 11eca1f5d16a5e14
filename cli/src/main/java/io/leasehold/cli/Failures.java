// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.http.ProblemException;
import io.leasehold.cli.json.Json;
import io.leasehold.model.LeaseholdException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Tells why a command failed, on standard error: one line of text, a second one that points to the
 * help if the usage was wrong; with {@code --output json} one JSON object.
 */
final class Failures {

    private Failures() {}

    /** Wrong usage. */
    static int usage(ParameterException e, String[] args) {
        CommandLine command = e.getCommandLine();
        if (isJson(args)) {
            print(command, true, ExitCodes.USAGE, words(e));
        } else {
            print(command, false, ExitCodes.USAGE, words(e));
            command.getErr()
                    .println("See '" + command.getCommandSpec().qualifiedName() + " --help'.");
            command.getErr().flush();
        }
        return ExitCodes.USAGE;
    }

    /**
     * What went wrong is said in one line; only what nobody expected comes with a trace. A command
     * has no exit code but those its help tells of.
     */
    static int explain(Exception e, CommandLine command, ParseResult result) throws Exception {
        boolean expected = e instanceof LeaseholdException
                || e instanceof ProblemException
                || e instanceof IOException;
        if (!expected) {
            throw e;
        }
        int known = ExitCodes.of(e);
        int code = command.getCommandSpec()
                        .usageMessage()
                        .exitCodeList()
                        .containsKey(String.valueOf(known))
                ? known
                : ExitCodes.FAILED;
        String message = e instanceof IOException io ? FileErrors.named(io) : e.getMessage();
        boolean json = isJson(result.originalArgs().toArray(String[]::new));
        print(command, json, code, String.valueOf(message));
        return code;
    }

    /** One failure; a program finds its kind and its exit code in the JSON. */
    static void print(CommandLine command, boolean json, int code, String message) {
        command.getErr()
                .println(
                        json
                                ? Json.write(Json.object(
                                        "error",
                                        ExitCodes.kind(code),
                                        "message",
                                        message,
                                        "exitCode",
                                        code))
                                : "leasehold: " + message);
        command.getErr().flush();
    }

    /** From the arguments themselves: where they are wrong, nobody has read the option. */
    private static boolean isJson(String[] args) {
        for (int i = 0; i < args.length && !args[i].equals("--"); i++) {
            String format = args[i].startsWith("--output=")
                    ? args[i].substring("--output=".length())
                    : args[i].equals("--output") && i + 1 < args.length ? args[i + 1] : "";
            if (format.toLowerCase(Locale.ROOT).equals("json")) {
                return true;
            }
        }
        return false;
    }

    private static String words(ParameterException e) {
        if (!(e instanceof UnmatchedArgumentException unmatched)
                || unmatched.getUnmatched().isEmpty()) {
            return String.valueOf(e.getMessage());
        }
        CommandSpec spec = e.getCommandLine().getCommandSpec();
        String argument = unmatched.getUnmatched().get(0);
        if (unmatched.isUnknownOption()) {
            return "there is no option '" + argument + "'"
                    + meant(argument, new ArrayList<>(spec.optionsMap().keySet()));
        }
        return spec.subcommands().isEmpty()
                ? "'" + argument + "' is one argument too many"
                : "there is no command '" + argument + "'"
                        + meant(argument, new ArrayList<>(spec.subcommands().keySet()));
    }

    /** The nearest one, if it is near: a typing error for every three letters. */
    private static String meant(String given, List<String> known) {
        String nearest = "";
        int least = Math.max(1, given.replace("-", "").length() / 3) + 1;
        for (String name : known) {
            int distance = distance(given, name);
            if (distance < least) {
                least = distance;
                nearest = name;
            }
        }
        return nearest.isEmpty() ? "" : "; did you mean '" + nearest + "'?";
    }

    /** How many letters are to be added, dropped, changed or swapped with the next. */
    private static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                boolean same = a.charAt(i - 1) == b.charAt(j - 1);
                int least = Math.min(cost[i - 1][j], cost[i][j - 1]) + 1;
                least = Math.min(least, cost[i - 1][j - 1] + (same ? 0 : 1));
                boolean swapped = i > 1
                        && j > 1
                        && a.charAt(i - 1) == b.charAt(j - 2)
                        && a.charAt(i - 2) == b.charAt(j - 1);
                cost[i][j] = swapped ? Math.min(least, cost[i - 2][j - 2] + 1) : least;
            }
        }
        return cost[a.length()][b.length()];
    }
}
