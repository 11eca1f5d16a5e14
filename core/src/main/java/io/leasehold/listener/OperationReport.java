// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

import io.leasehold.model.FencingToken;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import io.leasehold.spi.Time;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Tells a listener of one fenced operation, by the thread that does it: for authors of guards. What
 * the listener throws is logged. Used by one thread.
 */
public final class OperationReport {

    private static final System.Logger LOG = System.getLogger(OperationReport.class.getName());

    private final LeaseholdListener listener;
    private final FencedOperation operation;
    private final long begunAt;

    private OperationReport(LeaseholdListener listener, FencedOperation operation) {
        this.listener = listener;
        this.operation = operation;
        this.begunAt = Time.system().nanos();
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
        try {
            check.run();
            report.checked(TokenChecked.Outcome.VALID, Optional.empty());
        } catch (Throwable e) {
            report.failed(e);
            throw e;
        } finally {
            report.end();
        }
    }

    /** Tells that the operation begins. */
    public static OperationReport begin(LeaseholdListener listener, FencedOperation operation) {
        OperationReport report = new OperationReport(listener, operation);
        report.tell(told -> told.onOperationBegin(operation));
        return report;
    }

    /** The token was checked, just now. */
    public void checked(TokenChecked.Outcome outcome, Optional<FencingToken> newest) {
        Duration took = Duration.ofNanos(Time.system().nanos() - begunAt);
        TokenChecked checked = new TokenChecked(operation, outcome, newest, took);
        tell(told -> told.onTokenCheck(checked));
    }

    /** The token was not accepted, or could not be checked, as the exception says. */
    public void failed(Throwable why) {
        if (why instanceof StaleTokenException stale) {
            checked(TokenChecked.Outcome.STALE, Optional.of(stale.mark()));
        } else if (why instanceof ScopeMismatchException) {
            checked(TokenChecked.Outcome.OUT_OF_SCOPE, Optional.empty());
        } else {
            checked(TokenChecked.Outcome.FAILED, Optional.empty());
        }
    }

    /** The operation is over. Call it in any case. */
    public void end() {
        tell(told -> told.onOperationEnd(operation));
    }

    private void tell(Consumer<LeaseholdListener> event) {
        try {
            event.accept(listener);
        } catch (Throwable e) { // must not change what happens to the operation
            LOG.log(System.Logger.Level.WARNING, "a listener failed", e);
        }
    }
}
