// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documentation shows is what the build compiles. */
final class SnippetsTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().resolve("..").normalize();
    private static final Pattern JAVA_BLOCK = Pattern.compile("(?s)```java\\R(.*?)```");
    private static final Pattern LINK = Pattern.compile("]\\((?!https?:|#)([^)#]+)(#[^)]*)?\\)");

    @Test
    void everyJavaSnippetOfTheDocumentationStandsInASourceOfThisModule() throws IOException {
        String sources =
                files(Path.of("src"), ".java").map(SnippetsTest::unindented).collect(joining("\n"));

        List<Path> pages = documentation();
        int snippets = 0;
        for (Path page : pages) {
            for (MatchResult block :
                    JAVA_BLOCK.matcher(Files.readString(page)).results().toList()) {
                snippets++;
                assertThat(sources).as("a snippet of " + page).contains(unindented(block.group(1)));
            }
        }
        assertThat(snippets).isPositive();
    }

    @Test
    void everyLinkOfTheDocumentationLeadsToAFile() throws IOException {
        for (Path page : documentation()) {
            for (MatchResult link :
                    LINK.matcher(Files.readString(page)).results().toList()) {
                Path target = page.resolveSibling(link.group(1)).normalize();
                assertThat(target).as("a link of " + page).exists();
            }
        }
    }

    private static List<Path> documentation() throws IOException {
        try (Stream<Path> top = Files.list(ROOT)) {
            List<Path> root =
                    top.filter(file -> file.toString().endsWith(".md")).toList();
            return Stream.concat(root.stream(), files(ROOT.resolve("docs"), ".md"))
                    .toList();
        }
    }

    private static Stream<Path> files(Path directory, String suffix) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            return tree.filter(file -> file.toString().endsWith(suffix)).toList().stream();
        }
    }

    private static String unindented(Path file) {
        try {
            return unindented(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String unindented(String text) {
        return text.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .collect(joining("\n"));
    }
}
