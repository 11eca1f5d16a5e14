// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.Claim;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.NodeRecord;
import io.leasehold.spi.NodeStanding;
import io.leasehold.table.TableOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A node takes over the records of others, also before it is admitted. */
abstract class NodeRecordRules extends NodeRules {

    /** No more than a page has. */
    private static final int AT_ONCE = 25;

    @Test
    void aRecordOfAnotherNodeIsTakenUnlessThereIsOneAsNew() {
        admit(0);
        keep(record("a", 7, "seven"));
        keep(record("a", 5, "five"));
        keep(record("a", 7, "again"));
        assertThat(text("a")).contains("seven");
        assertThat(counter()).isEqualTo(7);
        keep(record("a", 9, "nine"));
        assertThat(text("a")).contains("nine");
        assertThat(text("b")).isEmpty();
        assertThat(counter()).isEqualTo(9);
    }

    @Test
    void recordsAreTakenBeforeTheNodeIsAdmitted() {
        assertThat(keep(record("a", 7, "seven")).membership()).isEmpty();
        admit(0);
        assertThat(text("a")).contains("seven");
        assertThat(grant(request("b")).token()).as("above the record's").isEqualTo(token(10));
    }

    @Test
    void aRecordOfAnotherNodeIsKeptForAsLongAsItWasThere() {
        admit(0);
        keep(record("a", 7, "seven"));
        keep(record("b", 8, "eight", BRIEF));
        assertThat(acquire(request("a").unlessCompleted(), FIRST))
                .isInstanceOfSatisfying(Acquisition.Completed.class, completed -> {
                    assertThat(completed.record()).isEqualTo(LeaseRecord.of("seven"));
                    assertThat(completed.token()).isEqualTo(token(7));
                    assertLeft(completed.keptFor(), TTL);
                });
        passBrief();
        assertThat(text("b")).isEmpty();
        NodeRecord kept = Answers.of(node().record(Scope.name("a"))).orElseThrow();
        assertThat(kept.age()).isGreaterThanOrEqualTo(BRIEF);
        assertThat(kept.age().plus(kept.keptFor())).isEqualTo(TTL);
    }

    @Test
    void aRecordOfAnotherNodeIsAsOldAsItWasThere() {
        admit(0);
        Duration age = Duration.ofMinutes(1);
        NodeRecord there = record("a", 7, "seven");
        keep(new NodeRecord(there.scope(), there.holding(), there.record(), age, TTL));
        NodeRecord kept = Answers.of(node().record(Scope.name("a"))).orElseThrow();
        assertThat(kept.age()).isGreaterThanOrEqualTo(age);
        assertThat(kept.age().plus(kept.keptFor())).isEqualTo(TTL.plus(age));
    }

    @Test
    void whoeverWaitsForARecordGetsThatOfAnotherNode() {
        admit(0);
        grant(request("a"));
        Pending waiter = queue(request("a").unlessCompleted(), FIRST);
        keep(record("a", 7, "seven"));
        assertThat(waiter.answer()).isInstanceOf(Acquisition.Completed.class);
    }

    @Test
    void aWaiterWithARecordOfAnotherNodeMakesWayForThoseBehind() {
        admit(0);
        grant(shared("a"));
        Pending waiter = queue(request("a").unlessCompleted(), FIRST);
        Pending behind = queue(shared("a"), FIRST);
        keep(record("a", 7, "seven"));
        assertThat(waiter.answer()).isInstanceOf(Acquisition.Completed.class);
        behind.grant();
    }

    @Test
    void aRecordWhoseTimeIsOverIsNotListed() {
        admit(0);
        keep(record("a", 7, "seven"));
        keep(record("b", 8, "eight", BRIEF));
        passBrief();
        assertThat(Answers.of(node().records(NodeRecord.Page.FIRST)).records())
                .extracting(kept -> kept.record().text())
                .containsExactly("seven");
    }

    @Test
    void recordsAreListedInPartsThatHaveThemAll() {
        admit(0);
        List<NodeRecord> all = new ArrayList<>();
        for (int i = 1; i <= 100; i++) {
            all.add(record("name-" + i, 3L * i, "done ".repeat(20)));
        }
        for (int i = 0; i < all.size(); i += AT_ONCE) {
            keep(all.subList(i, i + AT_ONCE).toArray(NodeRecord[]::new));
        }
        List<Holding> listed = new ArrayList<>();
        Optional<String> cursor = Optional.of(NodeRecord.Page.FIRST);
        while (cursor.isPresent()) {
            NodeRecord.Page page = Answers.of(node().records(cursor.get()));
            assertThat(page.records()).hasSizeLessThan(all.size());
            page.records().forEach(record -> listed.add(record.holding()));
            cursor = page.next();
        }
        assertThat(listed)
                .containsOnlyOnceElementsOf(
                        all.stream().map(NodeRecord::holding).toList());
        assertThat(listed).hasSameSizeAs(all);
    }

    @Test
    void aFullNodeTakesNoFurtherRecord() {
        reopen(new TableOptions(1, 10, Duration.ofMinutes(1), 10));
        admit(0);
        keep(record("a", 1, "one"));
        keep(record("a", 2, "two"));
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> keep(record("b", 3, "three")));
    }

    private NodeStanding keep(NodeRecord... records) {
        return Answers.of(node().keep(List.of(records)));
    }

    private Optional<String> text(String name) {
        return Answers.of(node().record(Scope.name(name)))
                .map(kept -> kept.record().text());
    }

    private static NodeRecord record(String name, long token, String text) {
        return record(name, token, text, TTL);
    }

    private static NodeRecord record(String name, long token, String text, Duration keptFor) {
        Holding holding =
                new Holding(Claim.exclusive(Scope.name(name)), new Holder("x"), token(token));
        return new NodeRecord(
                Scope.name(name), holding, LeaseRecord.of(text), Duration.ZERO, keptFor);
    }
}
