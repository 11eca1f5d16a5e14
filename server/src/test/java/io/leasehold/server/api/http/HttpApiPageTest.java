// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.leasehold.protocol.v1.LeaseholdProto;
import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.engine.StoreAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The page about the HTTP interface: its examples are run, its tables are complete. */
final class HttpApiPageTest {

    private static final Path PAGE = Path.of("../docs/http-api.md");
    private static final String MARK = "=== end of example ===";
    private static final Pattern BLOCK = Pattern.compile("```(\\w*)\\n(.*?)```", Pattern.DOTALL);
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** What differs from run to run. */
    private static final List<String> FREE = List.of(
            "leaseId",
            "requestId",
            "inStore",
            "remaining",
            "age",
            "detail",
            "message",
            "version",
            "caveats",
            "clockStep",
            "storeId");

    /** An example and what the page shows of its output. */
    private record Example(String commands, String language, String shown) {}

    @Test
    void everyExampleDoesWhatThePageShows() throws Exception {
        List<Example> examples = examples();
        assertThat(examples).hasSizeGreaterThan(15);
        try (LeaseholdServer server = LeaseholdServer.start(
                ServerOptions.on(StoreAddress.parse("memory")).withPort(0))) {
            List<String> outputs = run(examples, server.port());
            assertThat(outputs).hasSameSizeAs(examples);
            for (int i = 0; i < examples.size(); i++) {
                Example example = examples.get(i);
                String output = outputs.get(i).strip();
                if (example.language().equals("json")) {
                    assertSameShape(
                            example.commands(),
                            MAPPER.readTree(example.shown()),
                            MAPPER.readTree(output));
                } else {
                    assertThat(output.replaceAll("[0-9a-z]+\\.[0-9]+", "N"))
                            .describedAs(example.commands())
                            .isEqualTo(
                                    example.shown().strip().replaceAll("[0-9a-z]+\\.[0-9]+", "N"));
                }
            }
        }
    }

    @Test
    void everyRouteIsOnThePage() throws IOException {
        String page = Files.readString(PAGE);
        for (ServiceDescriptor service : LeaseholdProto.getDescriptor().getServices()) {
            for (MethodDescriptor method : service.getMethods()) {
                Endpoint.rule(method)
                        .ifPresent(rule -> assertThat(page)
                                .containsPattern(
                                        "http://127.0.0.1:5327" + Endpoint.path(rule) + "\\b"));
            }
        }
    }

    private static List<Example> examples() throws IOException {
        List<String[]> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(Files.readString(PAGE));
        while (matcher.find()) {
            blocks.add(new String[] {matcher.group(1), matcher.group(2)});
        }
        List<Example> examples = new ArrayList<>();
        for (Iterator<String[]> all = blocks.iterator(); all.hasNext(); ) {
            String[] block = all.next();
            if (block[0].equals("sh")) {
                String[] shown = all.next();
                examples.add(new Example(block[1], shown[0], shown[1]));
            }
        }
        return examples;
    }

    /** Runs all in one shell, since later examples use what earlier ones set. */
    private static List<String> run(List<Example> examples, int port)
            throws IOException, InterruptedException {
        StringBuilder script = new StringBuilder();
        for (Example example : examples) {
            script.append(example.commands().replace(":5327", ":" + port));
            script.append("\necho\necho '").append(MARK).append("'\n");
        }
        Process shell = new ProcessBuilder("bash", "-c", script.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor(1, TimeUnit.MINUTES)).isTrue();
        List<String> outputs = new ArrayList<>(List.of(output.split(MARK, -1)));
        outputs.remove(outputs.size() - 1);
        return outputs;
    }

    /** The same fields; texts and numbers may differ where they tell of time, ids and versions. */
    private static void assertSameShape(String example, JsonNode shown, JsonNode actual) {
        String told = example + actual;
        assertThat(actual.getNodeType()).describedAs(told).isEqualTo(shown.getNodeType());
        if (shown.isObject()) {
            List<String> names = new ArrayList<>();
            shown.fieldNames().forEachRemaining(names::add);
            List<String> actualNames = new ArrayList<>();
            actual.fieldNames().forEachRemaining(actualNames::add);
            assertThat(actualNames).describedAs(told).isEqualTo(names);
            for (String name : names) {
                if (FREE.contains(name)) {
                    continue;
                }
                assertSameShape(example, shown.get(name), actual.get(name));
            }
        } else if (shown.isArray()) {
            assertThat(actual.size()).describedAs(told).isEqualTo(shown.size());
            for (int i = 0; i < shown.size(); i++) {
                assertSameShape(example, shown.get(i), actual.get(i));
            }
        } else {
            assertThat(actual).describedAs(told).isEqualTo(shown);
        }
    }
}
