// SPDX-License-Identifier: Apache-2.0
package io.leasehold.lincheck;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import java.util.Optional;
import java.util.function.Function;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Mark and data of the memory guard change in one step: no order of writers can tell otherwise. */
@Tag("long")
final class GuardLinearizabilityTest {

    /** What writers do to a guarded cell; the answer is the value they found, or the mark that refused them. */
    @Param(name = "token", gen = IntGen.class, conf = "1:3")
    @Param(name = "value", gen = IntGen.class, conf = "1:5")
    public abstract static class Writers {

        private final Guard<int[]> guard;

        Writers(Guard<int[]> guard) {
            this.guard = guard;
        }

        @Operation(params = {"token", "value"})
        public int swap(int token, int value) {
            try {
                return guard.change(new FencingToken(token), cell -> {
                    int found = cell[0];
                    cell[0] = value;
                    return found;
                });
            } catch (StaleTokenException e) {
                return (int) -e.mark().value();
            }
        }

        @Operation(params = "token")
        public long seal(int token) {
            try {
                guard.seal(new FencingToken(token));
                return 0;
            } catch (StaleTokenException e) {
                return -e.mark().value();
            }
        }

        @Operation
        public long mark() {
            return guard.mark().map(FencingToken::value).orElse(0L);
        }
    }

    /** The guard under test. */
    public static final class OnMemory extends Writers {
        public OnMemory() {
            super(MemoryGuard.around("cell", new int[1]));
        }
    }

    /** A guard that looks at its mark first and acts later. */
    public static final class CheckingThenActing extends Writers {
        public CheckingThenActing() {
            super(new CheckThenAct(new int[1]));
        }
    }

    /** What a guard must answer, in a few lines. */
    public static final class Sequential {
        private int mark;
        private int cell;

        public int swap(int token, int value) {
            if (token < mark) {
                return -mark;
            }
            int found = cell;
            mark = token;
            cell = value;
            return found;
        }

        public long seal(int token) {
            if (token < mark) {
                return -mark;
            }
            mark = token;
            return 0;
        }

        public long mark() {
            return mark;
        }
    }

    @Test
    void theMemoryGuardIsLinearizableUnderEveryScheduleTried() {
        modelChecking().check(OnMemory.class);
    }

    /** The check bites: a guard that checks and then acts fails it. */
    @Test
    void aGuardThatChecksThenActsIsFoundOut() {
        assertThatThrownBy(() -> modelChecking()
                        .minimizeFailedScenario(false)
                        .check(CheckingThenActing.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }

    private static ModelCheckingOptions modelChecking() {
        return new ModelCheckingOptions()
                .iterations(10)
                .invocationsPerIteration(100)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .sequentialSpecification(Sequential.class);
    }

    private static final class CheckThenAct implements Guard<int[]> {

        private final int[] cell;
        private volatile @Nullable FencingToken mark;

        CheckThenAct(int[] cell) {
            this.cell = cell;
        }

        @Override
        public Scope resource() {
            return Scope.name("cell");
        }

        @Override
        public <T> T change(Admission admission, Function<? super int[], ? extends T> change) {
            FencingToken seen = mark;
            if (seen != null && admission.token().isOlderThan(seen)) {
                throw new StaleTokenException("cell", admission.token(), seen);
            }
            mark = admission.token();
            return change.apply(cell);
        }

        @Override
        public Optional<FencingToken> mark(Scope part) {
            return Optional.ofNullable(mark);
        }
    }
}
