// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.listener.FencedOperation;
import io.leasehold.listener.LeaseholdListener;
import io.leasehold.listener.TokenChecked;
import io.leasehold.listener.TokenChecked.Outcome;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What a guard tells a listener. */
final class ReportingGuardTest {

    private static final Scope LEDGER = Scope.name("ledger/42");

    private final List<String> told = new ArrayList<>();
    private final List<TokenChecked> checks = new ArrayList<>();
    private final LeaseholdListener listener = new LeaseholdListener() {
        @Override
        public void onOperationBegin(FencedOperation operation) {
            told.add("begin " + operation.kind());
        }

        @Override
        public void onTokenCheck(TokenChecked check) {
            told.add(check.outcome().toString());
            checks.add(check);
        }

        @Override
        public void onOperationEnd(FencedOperation operation) {
            told.add("end " + operation.kind());
        }
    };
    private final MemoryGuard<List<String>> memory = MemoryGuard.around(LEDGER, new ArrayList<>());
    private final Guard<List<String>> guard = memory.reportingTo(listener);

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }

    @Test
    void aWriteIsToldOfWhenTheGuardHasLetGoOfIt() {
        guard.write(token(5), entries -> told.add("write"));
        assertThat(told).containsExactly("begin WRITE", "write", "VALID", "end WRITE");
        assertThat(checks.get(0).operation())
                .isEqualTo(new FencedOperation(LEDGER, FencedOperation.Kind.WRITE, token(5)));
        assertThat(checks.get(0).took().isNegative()).isFalse();
    }

    @Test
    void aStaleTokenIsToldWithTheMarkThatIsAboveIt() {
        guard.seal(token(7));
        guard.admit(token(7));
        assertThat(told)
                .containsExactly(
                        "begin SEAL", "VALID", "end SEAL", "begin ADMIT", "VALID", "end ADMIT");
        told.clear();
        assertThatThrownBy(() -> guard.write(token(6), entries -> told.add("write")))
                .isInstanceOf(StaleTokenException.class);
        assertThat(told).containsExactly("begin WRITE", "STALE", "end WRITE");
        assertThat(checks.get(2).newest()).contains(token(7));
    }

    @Test
    void aWriteThatFailsHadAValidTokenAndIsOver() {
        assertThatThrownBy(() -> guard.write(token(5), entries -> {
                    throw new StaleTokenException("another resource", token(5), token(6));
                }))
                .isInstanceOf(StaleTokenException.class);
        assertThat(told).containsExactly("begin WRITE", "VALID", "end WRITE");
    }

    @Test
    void aTokenThatPassedAndIsStaleWhenTheWriteIsConfirmedIsToldAsStale() {
        Guard<List<String>> late = new LateGuard(memory).reportingTo(listener);
        assertThatThrownBy(() -> late.write(token(5), entries -> told.add("write")))
                .isInstanceOf(StaleTokenException.class);
        assertThat(told).containsExactly("begin WRITE", "write", "VALID", "STALE", "end WRITE");
    }

    @Test
    void aTargetOutsideOfTheResourceIsTold() {
        Admission elsewhere =
                new Admission(token(5), Claim.exclusive(Scope.name("other")), Scope.name("other"));
        assertThatThrownBy(() -> guard.admit(elsewhere)).isInstanceOf(ScopeMismatchException.class);
        assertThat(told).containsExactly("begin ADMIT", "OUT_OF_SCOPE", "end ADMIT");
    }

    @Test
    void aGuardThatFailsIsToldAndAListenerThatThrowsChangesNothing() {
        Guard<List<String>> broken = new LateGuard(memory).reportingTo(new LeaseholdListener() {
            @Override
            public void onOperationBegin(FencedOperation operation) {
                throw new AssertionError("a listener that throws");
            }

            @Override
            public void onTokenCheck(TokenChecked check) {
                told.add(check.outcome().toString());
            }
        });
        assertThatThrownBy(() -> broken.seal(token(1))).hasMessage("no answer");
        assertThat(told).containsExactly(Outcome.FAILED.toString());
    }

    @Test
    void whoAsksForAnotherListenerIsNotToldTwice() {
        guard.reportingTo(listener).admit(token(1));
        assertThat(told).containsExactly("begin ADMIT", "VALID", "end ADMIT");
        assertThat(guard.mark()).contains(token(1));
    }

    /** One that finds a newer token when a change is to be confirmed, and whose seal fails. */
    private record LateGuard(MemoryGuard<List<String>> guard) implements Guard<List<String>> {
        @Override
        public Scope resource() {
            return guard.resource();
        }

        @Override
        public <T> T change(
                Admission admission, Function<? super List<String>, ? extends T> change) {
            Object unused = guard.<Object>change(admission, change);
            throw new StaleTokenException("ledger", admission.token(), token(9));
        }

        @Override
        public Optional<FencingToken> mark(Scope part) {
            return guard.mark(part);
        }

        @Override
        public void seal(Admission admission) {
            throw new IllegalStateException("no answer");
        }
    }
}
