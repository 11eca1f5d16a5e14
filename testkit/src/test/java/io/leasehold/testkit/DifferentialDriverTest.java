// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.spi.LeaseStore;
import io.leasehold.table.TableOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class DifferentialDriverTest {

    private static final List<String> RARE = List.of(
            "Completed",
            "Gone EXPIRED",
            "Gone NOT_FOUND",
            "Refused EXPIRED",
            "Refused NOT_FOUND",
            "Refused NOT_HOLDER",
            "Refused SCOPE_MISMATCH",
            "Refused TOKEN_MISMATCH",
            "Refused VERSION_MISMATCH",
            "Rotated",
            "late Completed",
            "late Gone NOT_FOUND",
            "late Granted",
            "late Held");

    @Test
    void theMemoryEngineAnswersAsTheRulesDo() {
        DifferentialReport sum = new DifferentialReport(Map.of(), 0, 0);
        for (long seed = 0; seed < 200; seed++) {
            DifferentialReport report =
                    DifferentialDriver.of(seed).steps(1_100).run(memory(store -> store));
            assertThat(report.highestToken()).as("tokens are 1, 2, 3…").isEqualTo(report.tokens());
            sum = sum.plus(report);
        }
        for (String outcome : RARE) {
            assertThat(sum.count(outcome)).as(outcome).isGreaterThan(100);
        }
    }

    @Test
    void theMemoryEngineAnswersAsTheRulesDoAlsoBehindAClockThatIsNotQuiteTheSame() {
        Duration tolerance = Duration.ofMillis(20);
        for (long seed = 0; seed < 30; seed++) {
            DifferentialReport report = DifferentialDriver.of(seed)
                    .steps(500)
                    .tolerance(tolerance)
                    .run(imprecise(seed, tolerance, store -> store));
            assertThat(report.count("late Granted")).isPositive();
            assertThat(report.count("late Held")).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBrokenStoreIsCaught(Mutant mutant) {
        DifferentialDriver driver =
                DifferentialDriver.of(1).steps(3_000).patience(Duration.ofMillis(10));
        StoreUnderTest broken = memory(mutant::breaking);
        assertThatThrownBy(() -> driver.run(broken))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("seed 1, step ");
    }

    @Test
    void aBrokenStoreIsCaughtAlsoBehindAClockThatIsNotQuiteTheSame() {
        Duration tolerance = Duration.ofMillis(20);
        DifferentialDriver driver = DifferentialDriver.of(1)
                .steps(1_000)
                .tolerance(tolerance)
                .patience(Duration.ofMillis(10));
        for (Mutant mutant : List.of(
                Mutant.REVIVES_EXPIRED_LEASES, Mutant.GRANTS_TWICE, Mutant.FORGETS_WAITERS)) {
            StoreUnderTest broken = imprecise(1, tolerance, mutant::breaking);
            assertThatThrownBy(() -> driver.run(broken))
                    .as("%s", mutant)
                    .isInstanceOf(AssertionError.class);
        }
    }

    @Test
    void aDifferenceIsToldWithTheCommandAndBothAnswers() {
        DifferentialDriver driver = DifferentialDriver.of(1).steps(3_000);
        StoreUnderTest broken = memory(Mutant.REVIVES_EXPIRED_LEASES::breaking);
        assertThatThrownBy(() -> driver.run(broken))
                .hasMessageContaining("command:  Renew")
                .hasMessageContaining("expected: Refused")
                .hasMessageContaining("actual:   Renewed");
    }

    @Test
    void aStoreThatWastesTokensShowsInTheReport() {
        DifferentialReport report =
                DifferentialDriver.of(1).steps(500).run(memory(Mutant::wastingTokens));
        assertThat(report.highestToken()).isGreaterThan(report.tokens());
    }

    @Test
    void theSameSeedIsTheSameRun() {
        DifferentialDriver driver = DifferentialDriver.of(9).steps(2_000);
        DifferentialReport first = driver.run(memory(store -> store));
        assertThat(driver.run(memory(store -> store))).isEqualTo(first);
        assertThat(DifferentialDriver.of(10).steps(2_000).run(memory(store -> store)))
                .isNotEqualTo(first);
    }

    @Test
    void aUnitThatIsTooShortForTheToleranceIsRefused() {
        DifferentialDriver driver = DifferentialDriver.of(1).unit(Duration.ofMillis(100));
        assertThatThrownBy(() -> driver.tolerance(Duration.ofMillis(50)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static StoreUnderTest memory(UnaryOperator<LeaseStore> change) {
        VirtualTime time = VirtualTime.startingAt(Long.MAX_VALUE - 60_000_000_000L);
        return StoreUnderTest.on(
                time, change.apply(MemoryLeaseStore.create(TableOptions.defaults(), time)));
    }

    /** A store that is reached after a while, on a clock that can't be stopped in time. */
    private static StoreUnderTest imprecise(
            long seed, Duration tolerance, UnaryOperator<LeaseStore> change) {
        SplittableRandom random = new SplittableRandom(seed);
        VirtualTime time = VirtualTime.create();
        MemoryLeaseStore memory = MemoryLeaseStore.create(TableOptions.defaults(), time);
        Runnable dawdle =
                () -> time.advance(Duration.ofNanos(random.nextLong(tolerance.toNanos() / 2)));
        LeaseStore slow = Mutant.intercepted(change.apply(memory), (method, arguments, proceed) -> {
            dawdle.run();
            return proceed.call();
        });
        StoreUnderTest exact = StoreUnderTest.on(time, slow);
        return new StoreUnderTest() {
            @Override
            public LeaseStore store() {
                return exact.store();
            }

            @Override
            public void pass(Duration span) {
                exact.pass(span);
                dawdle.run();
            }

            @Override
            public long nanos() {
                return exact.nanos();
            }

            @Override
            public void close() {
                exact.close();
            }
        };
    }
}
