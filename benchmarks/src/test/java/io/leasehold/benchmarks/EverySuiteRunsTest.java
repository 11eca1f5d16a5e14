// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.EnumSource.Mode.EXCLUDE;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EverySuiteRunsTest {

    private static final PrintStream SILENT =
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);

    @ParameterizedTest
    @EnumSource(
            mode = EXCLUDE,
            names = {"REDIS", "QUORUM", "SERVER"})
    void everySuiteMeasuresAndReports(Suite suite) {
        measuresAndReports(suite);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(names = {"REDIS", "QUORUM", "SERVER"})
    void everySuiteWithServersMeasuresAndReports(Suite suite) {
        measuresAndReports(suite);
    }

    private static void measuresAndReports(Suite suite) {
        Report report = Main.measure(Set.of(suite), Effort.smoke(), SILENT);

        assertThat(report.rows())
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.suite()).isEqualTo(suite));
        assertThat(report.table()).contains(suite.toString(), "load at the end");
        assertThat(Json.of(report)).contains("\"suite\": \"" + suite + "\"");
    }

    @Test
    void nothingNamedMeansEverySuite() {
        assertThat(Arguments.parse(List.of("--quick")).suites()).containsExactly(Suite.values());
    }

    @Test
    void aNamedSuiteIsTheOnlyOneToRun() {
        assertThat(Arguments.parse(List.of("renewal")).suites()).containsExactly(Suite.RENEWAL);
    }

    @Test
    void anUnknownSuiteIsRefusedWithTheNamesOfAll() {
        assertThatThrownBy(() -> Arguments.parse(List.of("speed")))
                .hasMessageContainingAll("speed", "memory", "handoff", "flatness", "renewal");
    }

    @Test
    void aGoalIsReachedUpToItsBound() {
        assertThat(Goal.atMost(400, 400).reached()).isTrue();
        assertThat(Goal.atMost(400, 401).reached()).isFalse();
        assertThat(Goal.atLeast(0.25, 0.25).reached()).isTrue();
        assertThat(Goal.atLeast(0.25, 0.24).reached()).isFalse();
    }

    @Test
    void theMedianOfRoundsIsTheMiddleOne() {
        Medians medians = new Medians();
        List.of(9.0, 1.0, 2.0).forEach(result -> medians.add("what", result));

        assertThat(medians.of("what")).isEqualTo(2.0);
    }
}
