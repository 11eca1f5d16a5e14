// SPDX-License-Identifier: Apache-2.0
package io.leasehold.lincheck;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.table.TableOptions;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The memory store answers concurrent callers as if they had come one after the other. */
final class StoreLinearizabilityTest {

    /** The store under test. */
    public static final class OnMemory extends LeaseOperations {
        public OnMemory() {
            super(MemoryLeaseStore.create(TableOptions.defaults(), new StillTime()));
        }
    }

    /** The rules, to be driven by one thread. */
    public static final class OnTable extends LeaseOperations {
        public OnTable() {
            super(TableStore.withoutLocks(new StillTime()));
        }
    }

    @Test
    @Tag("long")
    void theMemoryStoreIsLinearizableUnderEveryScheduleTried() {
        modelChecking().iterations(5).invocationsPerIteration(15).check(OnMemory.class);
    }

    @Test
    void theMemoryStoreIsLinearizableUnderStress() {
        new StressOptions()
                .iterations(12)
                .invocationsPerIteration(300)
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(2)
                .sequentialSpecification(OnTable.class)
                .check(OnMemory.class);
    }

    /** The check bites: the same rules without locks fail it. */
    @Test
    @Tag("long")
    void theRulesWithoutLocksAreFoundOut() {
        assertThatThrownBy(() -> modelChecking()
                        .iterations(50)
                        .invocationsPerIteration(50)
                        .actorsBefore(0)
                        .actorsAfter(0)
                        .minimizeFailedScenario(false)
                        .check(OnTable.class))
                .isInstanceOf(LincheckAssertionError.class);
    }

    private static ModelCheckingOptions modelChecking() {
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(1)
                .actorsBefore(1)
                .actorsAfter(1)
                .loopIterationsBeforeThreadSwitch(100) // more than there are stripes to lock
                .loopBound(1000)
                .sequentialSpecification(OnTable.class);
    }
}
