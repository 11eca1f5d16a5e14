// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Writes the script with which fish completes our commands and options: a line for each, with the
 * condition under which it is offered. picocli writes such scripts for bash and zsh only.
 */
final class FishCompletion {

    /** Of these a program of the user's follows, with file names. */
    private static final Set<String> RUN_PROGRAMS = Set.of("run", "elect");

    private final String program;
    private final List<String> lines = new ArrayList<>();

    private FishCompletion(String program) {
        this.program = program;
    }

    static String of(CommandLine root) {
        FishCompletion script = new FishCompletion(root.getCommandName());
        script.lines.add("# Completes " + script.program + " in fish.");
        script.lines.add("complete -c " + script.program + " -f");
        script.options(root.getCommandSpec(), "__fish_use_subcommand");
        script.commands(root, List.of());
        return String.join("\n", script.lines) + "\n";
    }

    private void commands(CommandLine parent, List<String> path) {
        Set<String> names = parent.getSubcommands().keySet();
        String offered = path.isEmpty()
                ? "__fish_use_subcommand"
                : within(path) + "; and not __fish_seen_subcommand_from " + joined(names);
        parent.getSubcommands().forEach((name, command) -> {
            CommandSpec spec = command.getCommandSpec();
            if (spec.usageMessage().hidden() || !name.equals(spec.name())) {
                return; // an alias is offered under its name
            }
            add(offered, "-a " + name, spec.usageMessage().description());
            List<String> deeper = new ArrayList<>(path);
            deeper.add(name);
            String chosen = within(deeper);
            options(spec, chosen);
            for (PositionalParamSpec parameter : spec.positionalParameters()) {
                if (!values(parameter).isEmpty()) {
                    add(chosen, "-a " + quoted(values(parameter)), parameter.description());
                } else if (isFile(parameter)) {
                    add(chosen, "-F", parameter.description());
                }
            }
            if (path.isEmpty() && RUN_PROGRAMS.contains(name)) {
                add(chosen, "-F");
            }
            commands(command, deeper);
        });
    }

    private void options(CommandSpec command, String condition) {
        for (OptionSpec option : command.options()) {
            if (option.hidden()) {
                continue;
            }
            StringBuilder flags = new StringBuilder();
            for (String name : option.names()) {
                boolean isLong = name.startsWith("--");
                flags.append(isLong ? "-l " : "-s ")
                        .append(name.substring(isLong ? 2 : 1))
                        .append(' ');
            }
            if (option.arity().max() > 0) {
                String values = values(option);
                flags.append(
                        isFile(option) ? "-rF" : values.isEmpty() ? "-x" : "-xa " + quoted(values));
            }
            add(condition, flags.toString().strip(), option.description());
        }
    }

    private void add(String condition, String what, String... description) {
        String line = "complete -c " + program + " -n " + quoted(condition) + " " + what;
        String words =
                description.length == 0 ? "" : description[0].replaceAll("%n|@\\|\\w+ |\\|@", "");
        lines.add(words.isBlank() ? line : line + " -d " + quoted(words));
    }

    private static String within(List<String> path) {
        return path.stream()
                .map(name -> "__fish_seen_subcommand_from " + name)
                .collect(Collectors.joining("; and "));
    }

    private static String values(ArgSpec argument) {
        return argument.completionCandidates() == null
                ? ""
                : joined(argument.completionCandidates());
    }

    private static boolean isFile(ArgSpec argument) {
        return argument.type() == Path.class || argument.type() == File.class;
    }

    private static String joined(Iterable<String> words) {
        return String.join(" ", words);
    }

    /** In fish only a backslash and a quote mean anything within quotes. */
    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
