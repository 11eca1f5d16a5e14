// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves threads behind: any whose name starts with {@code leasehold}, and any other that would keep
 * the process alive. Threads get a few seconds to end; those that were there before, and the JDK's own, don't count.
 *
 * <pre>{@code
 * @ExtendWith(ThreadLeakCheck.class)                            // for every test of a class, or
 * try (ThreadLeakCheck.Watch watch = ThreadLeakCheck.watch()) { … }
 * }</pre>
 *
 * <p>What a test opens it must close by the end of its {@code @AfterEach} methods. Thread-safe, but tests that run in
 * parallel in one process are blamed for each other's threads.
 */
public final class ThreadLeakCheck implements BeforeEachCallback, AfterEachCallback {

    private static final ExtensionContext.Namespace NAMESPACE =
            ExtensionContext.Namespace.create(ThreadLeakCheck.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Looks at the threads that run now; what has been started since must be over when it is closed. */
    public static Watch watch() {
        return watch(PATIENCE);
    }

    /** As {@link #watch()}, giving threads another time to end. */
    public static Watch watch(Duration patience) {
        return new Watch(patience);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(NAMESPACE).put(Watch.class, watch());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Watch watch = context.getStore(NAMESPACE).remove(Watch.class, Watch.class);
        if (watch != null) {
            watch.close();
        }
    }

    /** A watch over the threads that are started while it is open. */
    public static final class Watch implements AutoCloseable {

        private static final Set<String> JDK_GROUPS = Set.of("system", "InnocuousThreadGroup");

        private final Duration patience;
        private final Set<Thread> before = Thread.getAllStackTraces().keySet();

        private Watch(Duration patience) {
            this.patience = patience;
        }

        /**
         * Waits for the threads to end.
         *
         * @throws AssertionError if some do not, with what they are doing
         */
        @Override
        public void close() {
            long end = Time.system().nanos() + patience.toNanos();
            List<Thread> left = new ArrayList<>();
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (!before.contains(thread) && isLeak(thread) && !ends(thread, end)) {
                    left.add(thread);
                }
            }
            if (!left.isEmpty()) {
                throw new AssertionError(left.stream()
                        .map(Watch::describe)
                        .collect(Collectors.joining("\n", "threads left:\n", "")));
            }
        }

        private static boolean isLeak(Thread thread) {
            return thread.getName().startsWith("leasehold")
                    || (!thread.isDaemon() && !isOfTheJdk(thread));
        }

        /** The JDK's timers, pools and signal handlers are daemons or live in groups of their own. */
        private static boolean isOfTheJdk(Thread thread) {
            ThreadGroup group = thread.getThreadGroup(); // null once the thread has ended
            return group == null
                    || JDK_GROUPS.contains(group.getName())
                    || thread.getName().equals("DestroyJavaVM");
        }

        private static boolean ends(Thread thread, long end) {
            try {
                long left = TimeUnit.NANOSECONDS.toMillis(end - Time.system().nanos());
                thread.join(Math.max(1, left));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return !thread.isAlive();
        }

        private static String describe(Thread thread) {
            return thread
                    + Arrays.stream(thread.getStackTrace())
                            .limit(8)
                            .map(frame -> "\n    at " + frame)
                            .collect(Collectors.joining());
        }
    }
}
