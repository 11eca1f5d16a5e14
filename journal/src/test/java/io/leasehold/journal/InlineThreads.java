// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The work of both threads, done by whoever asks for it: a store on it is deterministic. The writer
 * can be held up, so that commands gather in a batch, and so can the housekeeper.
 */
final class InlineThreads implements Surroundings.Threads {

    final Queued writer = new Queued();
    final Queued housekeeper = new Queued();

    /** Runs tasks at once, or when it is let go on. */
    static final class Queued implements Executor {

        private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
        private final AtomicInteger requests = new AtomicInteger(); // above 0 while a thread runs
        private volatile boolean held;

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
            runAll();
        }

        /** Keeps tasks back from now on. */
        void hold() {
            held = true;
        }

        /** Runs the next task that was kept back; false if there is none. */
        boolean runOne() {
            Runnable next = tasks.poll();
            if (next != null) {
                next.run();
            }
            return next != null;
        }

        /** Runs what was kept back, and keeps nothing back any more. */
        void letGo() {
            held = false;
            runAll();
        }

        /** One task at a time: one that asks for another does not run it inside itself. */
        private void runAll() {
            if (requests.getAndIncrement() > 0) {
                return;
            }
            int served = 1;
            do {
                boolean more = !held;
                while (more) {
                    more = runOne() && !held;
                }
                served = requests.addAndGet(-served);
            } while (served > 0);
        }
    }

    @Override
    public Executor writer() {
        return writer;
    }

    @Override
    public Executor housekeeper() {
        return housekeeper;
    }

    @Override
    public Executor alarms() {
        return Runnable::run;
    }

    @Override
    public void close() {
        writer.tasks.clear();
        housekeeper.tasks.clear();
    }
}
