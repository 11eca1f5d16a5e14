// SPDX-License-Identifier: Apache-2.0
package io.leasehold.memory;

import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time that passes when the test says so, for one thread. */
final class ManualTime implements Time {

    private record Task(long due, Runnable action) {}

    private final List<Task> tasks = new ArrayList<>();
    boolean noTimers; // nobody can set one
    private long nanos =
            Long.MAX_VALUE - 1_000_000_000; // any origin will do, so one that overflows soon

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public long wallMillis() {
        return 0;
    }

    @Override
    public Timer schedule(Duration delay, Runnable task) {
        if (noTimers) {
            throw new InternalError("no thread can be had (thrown by a test)");
        }
        Task timer = new Task(nanos + delay.toNanos(), task);
        tasks.add(timer);
        return () -> tasks.remove(timer);
    }

    int timers() {
        return tasks.size();
    }

    /** The clock goes on; timers that fall due run only when time passes the next time. */
    void passUnnoticed(Duration time) {
        nanos += time.toNanos();
    }

    void pass(Duration time) {
        long end = nanos + time.toNanos();
        while (!tasks.isEmpty()) {
            tasks.sort(Comparator.comparingLong(task -> task.due - nanos));
            Task next = tasks.get(0);
            if (next.due - end > 0) {
                break;
            }
            tasks.remove(0);
            nanos = next.due;
            next.action.run();
        }
        nanos = end;
    }
}
