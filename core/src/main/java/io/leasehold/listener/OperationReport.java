// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

import io.leasehold.model.FencingToken;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells a listener of one fenced operation, by the thread that does it: for authors of guards. What
 * the listener throws is logged. Used by one thread.
 */
public final class OperationReport {

    private static final System.Logger LOG = System.getLogger(OperationReport.class.getName());

    private final LeaseholdListener listener;
    private final FencedOperation operation;
    private final long begunAt;
    private @Nullable Duration untilPassed;

    private OperationReport(LeaseholdListener listener, FencedOperation operation) {
        this.listener = listener;
        this.operation = operation;
        this.begunAt = Time.system().nanos();
    }

    /** Tells that an operation begins. Say {@link #end} in any case. */
    public static OperationReport begin(LeaseholdListener listener, FencedOperation operation) {
        OperationReport report = new OperationReport(listener, operation);
        report.tell(told -> told.onOperationBegin(operation));
        return report;
    }

    /**
     * Checks a token, and tells the listener of it, if there is one: a check that returns has found
     * the token valid.
     */
    public static void ofCheck(
            LeaseholdListener listener, FencedOperation operation, Runnable check) {
        if (listener == LeaseholdListener.none()) {
            check.run();
            return;
        }
        OperationReport report = begin(listener, operation);
        Throwable failure = null;
        try {
            check.run();
            report.passed();
        } catch (Throwable e) {
            failure = e;
            throw e;
        } finally {
            report.end(failure);
        }
    }

    /** Notes that the token was found valid just now; the listener hears of it at the end. */
    public void passed() {
        if (untilPassed == null) {
            untilPassed = untilNow();
        }
    }

    /** Whether the token was found valid. */
    public boolean hasPassed() {
        return untilPassed != null;
    }

    /**
     * Tells what came of the check and that the operation is over.
     *
     * @param failure why the token was not accepted, or could not be checked; null if that is not
     *     what went wrong, if anything did
     */
    public void end(@Nullable Throwable failure) {
        if (untilPassed != null) {
            tell(TokenChecked.Outcome.VALID, Optional.empty(), untilPassed);
        }
        if (failure instanceof StaleTokenException stale) {
            tell(TokenChecked.Outcome.STALE, Optional.of(stale.mark()), untilNow());
        } else if (failure instanceof ScopeMismatchException) {
            tell(TokenChecked.Outcome.OUT_OF_SCOPE, Optional.empty(), untilNow());
        } else if (failure != null) {
            tell(TokenChecked.Outcome.FAILED, Optional.empty(), untilNow());
        }
        tell(told -> told.onOperationEnd(operation));
    }

    /** The same for a check that says what came of it. */
    public void end(TokenChecked.Outcome outcome) {
        tell(outcome, Optional.empty(), untilNow());
        tell(told -> told.onOperationEnd(operation));
    }

    private Duration untilNow() {
        return Duration.ofNanos(Time.system().nanos() - begunAt);
    }

    private void tell(TokenChecked.Outcome outcome, Optional<FencingToken> newest, Duration took) {
        TokenChecked checked = new TokenChecked(operation, outcome, newest, took);
        tell(told -> told.onTokenCheck(checked));
    }

    private void tell(Consumer<LeaseholdListener> event) {
        try {
            event.accept(listener);
        } catch (Throwable e) { // must not change what happens to the operation
            LOG.log(System.Logger.Level.WARNING, "a listener failed", e);
        }
    }
}
