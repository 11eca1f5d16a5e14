// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the memory guard does beyond the contract of all guards, which the test kit holds. */
final class MemoryGuardTest {

    private final List<String> ledger = new ArrayList<>();
    private final MemoryGuard<List<String>> guard = MemoryGuard.around("ledger", ledger);

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }

    @Test
    void aRefusalNamesTheResource() {
        guard.admit(token(9));

        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> guard.admit(token(8)))
                .withMessage("stale token 8: ledger has seen token 9");
    }

    @Test
    void aChangeThatThrowsLeavesTheMarkRaised() {
        assertThatIllegalStateException()
                .isThrownBy(() -> guard.write(token(5), entries -> {
                    throw new IllegalStateException("disk full");
                }))
                .withMessage("disk full");

        assertThat(guard.mark()).contains(token(5));
    }

    @Test
    void pathsOfASubtreeHaveMarksOfTheirOwn() {
        MemoryGuard<List<String>> tree = MemoryGuard.around(Scope.subtree("/data"), ledger);
        tree.admit(Admission.of(token(9), Scope.subtree("/data/a")));

        tree.admit(Admission.of(token(3), Scope.path("/data/b")));
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> tree.admit(Admission.of(token(8), Scope.path("/data/a/1"))));
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> tree.admit(Admission.of(token(8), Scope.subtree("/data"))));
        assertThatExceptionOfType(ScopeMismatchException.class)
                .isThrownBy(() -> tree.admit(Admission.of(token(9), Scope.path("/etc/passwd"))))
                .withMessage("the guard of subtree:/data was asked about path:/etc/passwd");
    }

    @Test
    void beyondTheMostRangesASealOfTheWholeMakesRoom() {
        MemoryGuard<List<String>> file = MemoryGuard.around(Scope.inode(1), ledger);
        for (int i = 0; i < Marks.MAX_RANGES; i++) {
            file.admit(Admission.of(token(1), Scope.range(1, 2L * i, 2L * i + 1)));
        }

        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> file.admit(Admission.of(token(2), Scope.range(1, 1, 2))))
                .withMessageContaining("seal the whole of it");
        file.seal(token(2));
        file.admit(Admission.of(token(3), Scope.range(1, 1, 2)));
        assertThat(file.mark()).contains(token(3));
    }

    @Test
    void aGuardThatIsFullRefusesNewPartsAndGoesOnWithKnownOnes() {
        MemoryGuard<List<String>> tree = MemoryGuard.around(Scope.subtree("/accounts"), ledger);
        int parts = 0;
        try {
            for (; ; parts++) {
                tree.admit(Admission.of(token(1), account(parts)));
            }
        } catch (LimitExceededException e) {
            assertThat(e.maximum()).isEqualTo(Marks.MAX_RANGES);
        }

        tree.admit(Admission.of(token(2), account(0)));
        tree.admit(Admission.of(token(3), account(parts - 1)));

        assertThat(tree.mark(account(0))).contains(token(2));
        assertThat(tree.mark(account(parts - 1))).contains(token(3));
        assertThat(tree.mark(account(parts))).isEmpty();
        assertThat(parts).isEqualTo(Marks.MAX_RANGES);
    }

    private static Scope account(int number) {
        return Scope.path("/accounts/" + number);
    }
}
