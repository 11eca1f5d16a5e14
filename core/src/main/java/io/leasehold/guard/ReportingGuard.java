// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard;

import io.leasehold.listener.FencedOperation;
import io.leasehold.listener.FencedOperation.Kind;
import io.leasehold.listener.LeaseholdListener;
import io.leasehold.listener.OperationReport;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** A guard that tells a listener of each token it checks. Thread-safe as the guard is. */
final class ReportingGuard<R> implements Guard<R> {

    private final Guard<R> guard;
    private final LeaseholdListener listener;

    ReportingGuard(Guard<R> guard, LeaseholdListener listener) {
        this.guard = guard;
        this.listener = listener;
    }

    @Override
    public Scope resource() {
        return guard.resource();
    }

    @Override
    public Optional<FencingToken> mark(Scope part) {
        return guard.mark(part);
    }

    @Override
    public <T> T change(Admission admission, Function<? super R, ? extends T> change) {
        Operation operation = new Operation(Kind.WRITE, admission);
        return operation.run(() -> guard.change(admission, operation.watched(change)));
    }

    @Override
    public void admit(Admission admission) {
        Operation operation = new Operation(Kind.ADMIT, admission);
        operation.run(() -> guard.admit(admission));
    }

    @Override
    public void seal(Admission admission) {
        Operation operation = new Operation(Kind.SEAL, admission);
        operation.run(() -> guard.seal(admission));
    }

    @Override
    public Guard<R> reportingTo(LeaseholdListener other) {
        return guard.reportingTo(other);
    }

    /** One call of the guard. Used by one thread. */
    private final class Operation {

        private final OperationReport report;
        private boolean changing; // the user's change is under way, or has thrown: not the guard

        Operation(Kind kind, Admission admission) {
            this.report = OperationReport.begin(
                    listener, new FencedOperation(guard.resource(), kind, admission.token()));
        }

        /** The change; the guard calls it when the token has passed, perhaps more than once. */
        <T> Function<R, T> watched(Function<? super R, ? extends T> change) {
            return resource -> {
                report.passed();
                changing = true;
                T result = change.apply(resource);
                changing = false;
                return result;
            };
        }

        void run(Runnable call) {
            Object unused = this.<Object>run(() -> {
                call.run();
                return true;
            });
        }

        <T> T run(Supplier<T> call) {
            Throwable failure = null;
            try {
                T result = call.get();
                report.passed();
                return result;
            } catch (Throwable e) {
                // a token that has passed may be stale when the change is confirmed
                if (!changing && (!report.hasPassed() || e instanceof StaleTokenException)) {
                    failure = e;
                }
                throw e;
            } finally {
                report.end(failure);
            }
        }
    }
}
