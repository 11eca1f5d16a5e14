// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.LeaseLostException;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Stands by a command that runs under a lease: passes signals on to it, and stops it with all it
 * has started when the lease is lost, by TERM first and after a grace by KILL. What happens is put
 * into a queue by whoever notices; one thread acts.
 *
 * <p>Nobody renews the lease while this process is suspended. So the command is suspended first,
 * and continues only if the lease is still valid then.
 */
final class Supervisor {

    private static final Duration LOOK = Duration.ofMillis(50);

    /**
     * How it ended.
     *
     * @param code the exit code of the command
     * @param loss why it was stopped, if the lease was lost
     */
    record Ended(int code, Optional<LeaseLostException> loss) {}

    private final Duration grace;
    private final Time time = Time.system();
    private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

    Supervisor(Duration grace) {
        this.grace = grace;
    }

    /** The lease is lost. Quick, from any thread. */
    void lost(LeaseLostException loss) {
        events.add(loss);
    }

    /** A signal came. Quick, from any thread. */
    void signalled(Signals.Caught signal) {
        events.add(signal);
    }

    /**
     * Stays until the command has ended, and until all of its family has if the lease was lost.
     *
     * @param isHeld whether the lease is valid now; once it is not, {@link #lost} is called
     */
    Ended watch(Child child, BooleanSupplier isHeld) throws InterruptedException {
        child.exit().thenAccept(events::add);
        while (true) {
            Object event = events.take();
            if (event instanceof Signals.Caught signal) {
                pass(signal, child, isHeld);
            } else if (event instanceof LeaseLostException loss) {
                child.signal("TERM");
                child.signal("CONT"); // a suspended one does not end
                int code = stop(child);
                child.leave();
                return new Ended(code, Optional.of(loss));
            } else if (event instanceof Integer code) {
                child.leave();
                return new Ended(code, Optional.empty());
            }
        }
    }

    private static void pass(Signals.Caught signal, Child child, BooleanSupplier isHeld) {
        if (signal.suspends()) {
            // not the signal itself: a group of its own session does not obey that one
            child.signal("STOP");
            Signals.suspend();
        } else if (!signal.name().equals("CONT") || isHeld.getAsBoolean()) {
            child.signal(signal.name());
        }
    }

    /** Waits for the whole family, and kills what is left of it after the grace. */
    private int stop(Child child) throws InterruptedException {
        long end = time.nanos() + grace.toNanos();
        boolean killed = false;
        while (child.isAlive()) {
            if (!killed && time.nanos() - end >= 0) {
                child.kill();
                killed = true;
            }
            @Nullable Object event = events.poll(LOOK.toMillis(), TimeUnit.MILLISECONDS);
            if (event instanceof Signals.Caught signal && !signal.suspends()) {
                child.signal(signal.name());
            }
        }
        return child.exit().join();
    }
}
