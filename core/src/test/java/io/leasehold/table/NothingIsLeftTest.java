// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.table.TableDriver.Answer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scopes that were leased, waited for and had records leave nothing behind in the table. */
final class NothingIsLeftTest {

    private static final int SCOPES = 100_000;
    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final Duration KEEP = Duration.ofSeconds(3);

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void aTableThatManyScopesPassedThroughIsEmptyAfterwards(int stripes) {
        TableDriver driver = new TableDriver(stripes);
        int most = 0;
        for (int i = 0; i < SCOPES; i++) {
            use(driver, scope(i), i);
            if (i % 100 == 0) {
                driver.pass(Duration.ofMillis(100));
                driver.advance();
                most = Math.max(most, driver.table.indexed());
            }
        }
        driver.pass(WAIT.plus(KEEP));
        driver.advance();
        assertThat(most).as("scopes at a time").isBetween(100, SCOPES / 10);
        assertThat(driver.table.size()).isZero();
        assertThat(driver.table.indexed()).isZero();
        assertThat(driver.table.idsInUse()).isZero();
    }

    @Test
    void aScopeThatWasOnlyWaitedForIsForgottenWithItsWaiter() {
        TableDriver driver = new TableDriver(1);
        Scope free = Scope.name("free");
        driver.acquire(Claim.exclusive(scope(1)));
        driver.queue(Claim.exclusive(scope(1), free), TableDriver.TTL.dividedBy(2));
        assertThat(driver.table.indexed()).isEqualTo(2);
        driver.pass(TableDriver.TTL.dividedBy(2));
        driver.advance();
        assertThat(driver.table.indexed()).isEqualTo(1);
    }

    private static Scope scope(int i) {
        return switch (i % 10) {
            case 0 -> Scope.path("/some/path/" + i);
            case 1 -> Scope.inode(i);
            case 2 -> Scope.range(i, 10, 20);
            default -> Scope.name("name-" + i);
        };
    }

    /** Leases a scope, lets others wait for it, and ends all of it in one of several ways. */
    private static void use(TableDriver driver, Scope scope, int i) {
        LeaseTable table = driver.table;
        Claim claim = Claim.exclusive(scope);
        Grant first = driver.acquire(claim).grant();
        LeaseRequest request = driver.request(claim).waitingAtMost(WAIT);
        Answer next = driver.acquire(request);
        switch (i % 7) {
            case 0 -> table.withdraw(request, driver.now());
            case 1 -> table.release(first, driver.now());
            case 2 -> complete(driver, first, KEEP);
            case 3 -> {
                complete(driver, first, KEEP);
                complete(driver, next.grant(), Duration.ZERO);
            }
            case 4 -> {
                table.release(first, driver.now());
                table.release(next.grant(), driver.now());
            }
            case 5 -> {
                table.release(first, driver.now());
                table.release(next.grant(), driver.now());
                driver.acquire(Claim.shared(scope));
                Grant shared = driver.acquire(Claim.shared(scope)).grant();
                table.release(shared, driver.now());
            }
            default -> {
                // they run out, one after the other
            }
        }
    }

    private static void complete(TableDriver driver, Grant grant, Duration keepFor) {
        driver.table.complete(grant, LeaseRecord.of("r"), keepFor, driver.now());
    }
}
