// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * What one benchmark of JMH came to.
 *
 * @param benchmark what ran, with which parameters
 * @param perSecond operations per second, of all threads
 * @param processorNanos the processor time of one operation
 */
record Throughput(BenchmarkParams benchmark, double perSecond, double processorNanos) {

    /** Runs all benchmarks of a class with JMH, one after the other. */
    static void measure(
            Class<?> benchmarks,
            Effort.Timing timing,
            UnaryOperator<ChainedOptionsBuilder> variation,
            Consumer<Throughput> result) {
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("^" + benchmarks.getName().replace(".", "\\.") + "\\.")
                .forks(timing.forks())
                .warmupIterations(1)
                .warmupTime(time(timing.warmUp()))
                .measurementIterations(1)
                .measurementTime(time(timing.measurement()))
                .addProfiler(ProcessorTime.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
        for (RunResult run : run(variation.apply(options))) {
            result.accept(new Throughput(
                    run.getParams(), run.getPrimaryResult().getScore(), processorNanos(run)));
        }
    }

    private static double processorNanos(RunResult run) {
        return Objects.requireNonNull(run.getSecondaryResults().get(ProcessorTime.LABEL))
                .getScore();
    }

    /** The name of the benchmark's method. */
    String method() {
        String name = benchmark.getBenchmark();
        return name.substring(name.lastIndexOf('.') + 1);
    }

    private static Collection<RunResult> run(ChainedOptionsBuilder options) {
        try {
            return new Runner(options.build()).run();
        } catch (RunnerException e) {
            throw new IllegalStateException("a benchmark failed", e);
        }
    }

    private static TimeValue time(Duration length) {
        return TimeValue.milliseconds(length.toMillis());
    }
}
