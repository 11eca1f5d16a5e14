// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What docs/cli.md shows is what there is. */
final class CliDocumentTest {

    private static final Path DOCUMENT =
            Path.of("").toAbsolutePath().resolveSibling("docs").resolve("cli.md");

    private static List<List<String>> examples() throws IOException {
        List<List<String>> examples = new ArrayList<>();
        boolean inShell = false;
        for (String line : Files.readAllLines(DOCUMENT)) {
            if (line.startsWith("```")) {
                inShell = line.equals("```sh");
            } else if (inShell) {
                String command = line.startsWith("eval \"$(")
                        ? line.substring("eval \"$(".length(), line.length() - 2)
                        : line;
                assertThat(command).startsWith("leasehold ");
                examples.add(words(command.substring("leasehold ".length())));
            }
        }
        return examples;
    }

    /** The words of a line as a shell takes them, variables left alone. */
    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        char quote = ' ';
        for (char c : (line + " ").toCharArray()) {
            if (quote != ' ') {
                if (c == quote) {
                    quote = ' ';
                } else {
                    word.append(c);
                }
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (c == ' ') {
                words.add(word.toString());
                word.setLength(0);
            } else {
                word.append(c);
            }
        }
        assertThat(quote).as(line).isEqualTo(' ');
        return words;
    }

    @Test
    void everyExampleParses() throws IOException {
        for (List<String> example : examples()) {
            String[] args = example.toArray(String[]::new);
            assertThat(Main.commandLine(args).parseArgs(args).hasSubcommand())
                    .as(example.toString())
                    .isTrue();
        }
    }

    @Test
    void theHelpOfEveryCommandHasExamplesThatParse() {
        List<CommandLine> commands = new ArrayList<>(
                new LinkedHashSet<>(Main.complete().getSubcommands().values()));
        for (int i = 0; i < commands.size(); i++) {
            CommandLine command = commands.get(i);
            commands.addAll(command.getSubcommands().values());
            String help = command.getUsageMessage(CommandLine.Help.Ansi.OFF);
            List<String> examples = help.lines()
                    .dropWhile(line -> !line.equals("Examples:"))
                    .filter(line -> line.startsWith("  leasehold "))
                    .toList();
            assertThat(examples).as(help).isNotEmpty();
            for (String example : examples) {
                String[] args = words(example.strip().substring("leasehold ".length()))
                        .toArray(String[]::new);
                assertThat(Main.commandLine(args).parseArgs(args).hasSubcommand())
                        .as(example)
                        .isTrue();
                assertThat(example + " ")
                        .startsWith("  " + command.getCommandSpec().qualifiedName() + " ");
            }
        }
    }

    @Test
    void everyCommandHasAnExample() throws IOException {
        TreeSet<String> shown = new TreeSet<>();
        for (List<String> example : examples()) {
            shown.add(example.get(0));
        }
        assertThat(shown).isEqualTo(new TreeSet<>(Commands.ALL.keySet()));
    }

    @Test
    void everyExitCodeOfTheHelpIsExplained() throws IOException {
        String document = Files.readString(DOCUMENT);
        Main.commandLine()
                .getSubcommands()
                .values()
                .forEach(command ->
                        command.getCommandSpec().usageMessage().exitCodeList().keySet().stream()
                                .filter(code -> code.matches("\\d{2,3}"))
                                .filter(code -> !code.equals("130"))
                                .forEach(code -> assertThat(document)
                                        .as(command.getCommandName())
                                        .containsPattern(
                                                "\\| (\\d+, )?" + code + "(, \\d+)? \\|")));
    }

    @Test
    void completionInFishKnowsEveryCommandAndOption() {
        String script = FishCompletion.of(Main.complete());
        commands(Main.complete().getCommandSpec(), spec -> {
            String condition = "__fish_seen_subcommand_from " + spec.name();
            assertThat(script).contains(" -a " + spec.name());
            for (OptionSpec option : spec.options()) {
                if (!option.hidden()) {
                    String name = option.longestName().replaceFirst("^--", "-l ");
                    assertThat(script.lines())
                            .as(spec.name() + " " + option.longestName())
                            .anyMatch(line -> line.contains(condition) && line.contains(name));
                }
            }
        });
        assertThat(script)
                .contains("-l output -xa 'text json'")
                .contains("'__fish_seen_subcommand_from completion' -a 'bash zsh fish'");
    }

    private static void commands(CommandSpec parent, Consumer<CommandSpec> visitor) {
        for (CommandLine command : parent.subcommands().values()) {
            visitor.accept(command.getCommandSpec());
            commands(command.getCommandSpec(), visitor);
        }
    }

    @Test
    void completionKnowsEveryCommand() {
        String script = picocli.AutoComplete.bash("leasehold", Main.complete());
        assertThat(script).contains(Commands.ALL.keySet());
    }
}
