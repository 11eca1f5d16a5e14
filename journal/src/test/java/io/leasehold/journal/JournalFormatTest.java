// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Rotation;
import io.leasehold.testkit.SimulatedDisk;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;

/**
 * A journal that was written when its format was new is kept as {@code format-1.zip}: a snapshot,
 * and a segment behind it. Every later version must find in it what {@link #write} wrote. If this
 * test fails, the format has changed: raise {@link FileHead#VERSION} and go on reading the old one.
 */
final class JournalFormatTest {

    private static final int OLD = 4; // so many segments that a snapshot is due
    private static final Duration TTL = Duration.ofHours(1);
    private static final Duration LONGER = Duration.ofHours(3);
    private static final Duration LOCK_DELAY = Duration.ofMinutes(1);
    private static final Duration TICK = Duration.ofMillis(1_100);

    @Test
    void aJournalOfFormat1IsFoundAsItWasWritten() {
        assertAsWritten(World.on(format1()));
    }

    /** A disk with the journal that is kept. */
    static SimulatedDisk format1() {
        SimulatedDisk disk = Stores.disk(1);
        InputStream kept = JournalFormatTest.class.getResourceAsStream("format-1.zip");
        try (ZipInputStream zip = new ZipInputStream(Objects.requireNonNull(kept))) {
            ZipEntry entry = zip.getNextEntry();
            while (entry != null) {
                disk.put(Stores.DIRECTORY.resolve(entry.getName()), zip.readAllBytes());
                entry = zip.getNextEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return disk;
    }

    @Test
    void aJournalOfTodayIsFoundAsItWasWritten() {
        World world = World.on(Images.disk(OLD, 1));
        write(world);
        assertThat(Images.of(world.disk).keySet().toString()).contains("snapshot");
        world.killAndReopen();
        assertAsWritten(world);
    }

    /** Writes the journal: half of it before a snapshot, the other half behind that. */
    private static void write(World world) {
        for (String part : new String[] {"one", "two"}) {
            JournalLeaseStore store = world.store;
            // tokens 1 and 11: a lease, in the second part one that was renewed for longer
            Grant held = World.granted(store.acquire(request(part, "held")));
            // tokens 2 and 3, 12 and 13
            Grant rotated = World.granted(store.acquire(request(part, "rotated")));
            World.answer(store.rotate(rotated));
            // 4 and 14: several scopes, a lock-delay and a record
            World.answer(store.acquire(several(part)));
            // 5 and 15: a record
            Grant completed = World.granted(store.acquire(request(part, "completed")));
            World.answer(store.complete(completed, LeaseRecord.of("result " + part), TTL));
            // 6 and 7, 16 and 17: a record that was erased
            Grant recorded = World.granted(store.acquire(request(part, "erased")));
            World.answer(store.complete(recorded, LeaseRecord.of("gone"), TTL));
            Grant eraser = World.granted(store.acquire(request(part, "erased-again")));
            World.answer(store.complete(eraser, LeaseRecord.of("nothing"), Duration.ZERO));
            // 8 and 18, 9 and 19: leases that were ended
            Grant released = World.granted(store.acquire(request(part, "released")));
            World.answer(store.release(released));
            LeaseRequest withdrawn = request(part, "withdrawn");
            World.answer(store.acquire(withdrawn));
            World.answer(store.withdraw(withdrawn));
            // 10 and 20: one that ran out and is in its lock-delay
            World.answer(store.acquire(lingering(part)));
            world.pass(TICK);
            assertThat(world.renew(held, LONGER)).isInstanceOf(Renewal.Renewed.class);
        }
    }

    private static void assertAsWritten(World world) {
        assertThat(world.list())
                .extracting(view -> view.holding().token() + " "
                        + view.holding().holder() + " "
                        + view.holding().claim() + " " + view.state()
                        + view.record().map(record -> " " + record.text()).orElse(""))
                .containsExactly(
                        "1 holder-one name:held-one HELD",
                        "3 holder-one name:rotated-one HELD",
                        "4 holder-one path:/one + subtree:/two/one + inode:3 + range:4:10-20"
                                + " (shared) HELD address one",
                        "5 holder-one name:completed-one COMPLETED result one",
                        "10 holder-one name:lingering-one LOCK_DELAY",
                        "11 holder-two name:held-two HELD",
                        "13 holder-two name:rotated-two HELD",
                        "14 holder-two path:/two + subtree:/two/two + inode:3 + range:4:10-20"
                                + " (shared) HELD address two",
                        "15 holder-two name:completed-two COMPLETED result two",
                        "20 holder-two name:lingering-two LOCK_DELAY");
        for (String part : new String[] {"one", "two"}) {
            long first = part.equals("one") ? 0 : 10;
            assertEnds(world, part, first);
            assertLives(world, part, first);
        }
        assertThat(World.granted(world.store.acquire(request("three", "next"))).token())
                .isEqualTo(new FencingToken(21));
    }

    /** What is over is so, and remembered. */
    private static void assertEnds(World world, String part, long first) {
        Grant released = grant(request(part, "released"), first + 8);
        assertThat(World.answer(world.store.release(released))).isEqualTo(new Ending.Ended());
        assertThat(world.renew(released, TTL)).isEqualTo(new Refused(RefusalReason.NOT_FOUND));
        assertThat(World.answer(world.store.acquire(request(part, "withdrawn"))))
                .isEqualTo(new Acquisition.Gone(RefusalReason.NOT_FOUND));
        LeaseRequest late = request(part, "late", claimOf(part, "lingering"));
        assertThat(World.answer(world.store.acquire(late))).isInstanceOf(Acquisition.Held.class);
    }

    /** What is not belongs to those who have its id, for as long as they were told. */
    private static void assertLives(World world, String part, long first) {
        assertThat(World.answer(world.store.acquire(request(part, "held"))))
                .isInstanceOfSatisfying(Acquisition.Granted.class, granted -> {
                    assertThat(granted.grant().token()).isEqualTo(new FencingToken(first + 1));
                    assertThat(granted.validity().remaining()).isEqualTo(LONGER);
                });
        assertThat(World.answer(world.store.rotate(grant(request(part, "rotated"), first + 2))))
                .as("a repeat")
                .isInstanceOfSatisfying(
                        Rotation.Rotated.class,
                        rotated -> assertThat(rotated.grant().token())
                                .isEqualTo(new FencingToken(first + 3)));
        assertThat(world.renew(grant(several(part), first + 4), TTL))
                .isInstanceOf(Renewal.Renewed.class);
    }

    // ---- requests, whose ids go by what they are for

    private static LeaseRequest request(String part, String name) {
        String scope = name.startsWith("erased") ? "erased" : name;
        return request(part, name, claimOf(part, scope));
    }

    private static LeaseRequest request(String part, String name, Claim claim) {
        LeaseId id = new LeaseId(part.hashCode(), name.hashCode());
        return LeaseRequest.of(id, claim, new Holder("holder-" + part), TTL);
    }

    private static Claim claimOf(String part, String name) {
        return Claim.exclusive(Scope.name(name + "-" + part));
    }

    private static LeaseRequest several(String part) {
        Claim claim = Claim.shared(
                Scope.path("/" + part),
                Scope.subtree("/two/" + part),
                Scope.inode(3),
                Scope.range(4, 10, 20));
        return request(part, "several", claim)
                .withLockDelay(LOCK_DELAY)
                .withRecord(LeaseRecord.of("address " + part));
    }

    private static LeaseRequest lingering(String part) {
        LeaseRequest request = request(part, "lingering");
        return LeaseRequest.of(
                        request.id(), request.claim(), request.holder(), Duration.ofMillis(200))
                .withLockDelay(LOCK_DELAY);
    }

    private static Grant grant(LeaseRequest request, long token) {
        Holding holding = new Holding(request.claim(), request.holder(), new FencingToken(token));
        return new Grant(holding, request.id(), request.terms().ttl());
    }
}
