// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import com.sun.management.OperatingSystemMXBean;

import io.leasehold.spi.Time;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Many calls by several threads, and what they cost. */
final class Crowd {

    /** One thread's share of the calls. */
    interface Part {

        void call(int from, int to) throws InterruptedException;
    }

    /** What one call took, by the clock and of all processors together. */
    record Cost(double wallNanos, double processorNanos) {}

    private Crowd() {}

    /** Runs the part in every thread, each with its own calls. */
    static void run(int threads, int calls, Part part) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> parts = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int from = (int) ((long) calls * i / threads);
                int to = (int) ((long) calls * (i + 1) / threads);
                parts.add(pool.submit(() -> {
                    part.call(from, to);
                    return null;
                }));
            }
            for (Future<?> each : parts) {
                each.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a thread failed", e);
        } finally {
            pool.shutdownNow();
        }
    }

    /** What each of the calls that the task makes cost. */
    static Cost cost(int calls, Runnable task) {
        OperatingSystemMXBean system =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        System.gc(); // nobody pays for what others left behind
        long used = system.getProcessCpuTime();
        long start = Time.system().nanos();
        task.run();
        double wall = Time.system().nanos() - start;
        double processor = system.getProcessCpuTime() - used;
        return new Cost(wall / calls, processor / calls);
    }
}
