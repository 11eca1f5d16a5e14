// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.Claim;
import io.leasehold.model.DamagedFileException;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import io.leasehold.table.End;
import io.leasehold.table.Outcome;
import io.leasehold.table.TableEntry;
import io.leasehold.testkit.SimulatedDisk;
import io.leasehold.testkit.TestLength;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Bytes with the right checksums that nobody ever wrote: refused, and never worse. */
final class JournalHostileBytesTest {

    private static final int CASES = TestLength.of(10_000, 100_000);
    private static final int OPENED = TestLength.of(40, 400);
    private static final long[] EXTREMES = {
        0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MAX_VALUE, 1L << 40, 1L << 53, 255
    };
    private static final JournalDirectory NAMES =
            new JournalDirectory(Stores.DIRECTORY, SimulatedDisk.create(0));

    private final SplittableRandom random = new SplittableRandom(42);

    /** One entry of each kind. */
    private static List<byte[]> entries() {
        Claim claim = Claim.exclusive(Scope.name("a"), Scope.range(7, 0, 10), Scope.subtree("/d"));
        Holding holding = new Holding(claim, new Holder("holder"), new FencingToken(3));
        LeaseId id = new LeaseId(1, 2);
        LeaseRecord record = LeaseRecord.of("record");
        TableEntry.Course course =
                new TableEntry.Course(1, 9_000_000_000L, 1, 0, TableEntry.Phase.RUNNING);
        List<byte[]> all = new ArrayList<>();
        for (TableEntry entry : List.of(
                new TableEntry.Leased(
                        new Grant(holding, id, Duration.ofSeconds(9)),
                        Optional.empty(),
                        Duration.ZERO,
                        Optional.of(record),
                        course),
                new TableEntry.Leased(
                        new Grant(holding, id, Duration.ofSeconds(9)),
                        Optional.of(Duration.ofSeconds(8)),
                        Duration.ZERO,
                        Optional.empty(),
                        course),
                new TableEntry.Ended(id, Optional.of(claim), new Outcome(End.RELEASED, 3, 0), 5),
                new TableEntry.Ended(id, Optional.empty(), new Outcome(End.COMPLETED, 3, 7), 5),
                new TableEntry.Cleared(id, claim),
                new TableEntry.Kept(List.of(Scope.name("a")), holding, record, 5, 6_000_000_000L),
                new TableEntry.Erased(claim.scopes()))) {
            Output out = new Output(64, 0);
            EntryWriter.write(entry, out);
            all.add(bytes(out));
        }
        Output started = new Output(64, 0);
        EntryWriter.writeStarted(6, started);
        all.add(bytes(started));
        Output standing = new Output(64, 0);
        EntryWriter.write(new Standing(3, 0, 9), standing);
        all.add(bytes(standing));
        return all;
    }

    private static byte[] bytes(Output out) {
        ByteBuffer written = out.written();
        byte[] bytes = new byte[written.limit()];
        written.get(0, bytes);
        return bytes;
    }

    private final List<byte[]> originals = entries();

    /** Entries that were tampered with, behind the room for a head. */
    private ByteBuffer body(int entries) {
        Output out = new Output(512, BatchHead.LENGTH);
        for (int i = 0; i < entries; i++) {
            byte[] entry = originals.get(random.nextInt(originals.size())).clone();
            ByteBuffer tampered = ByteBuffer.wrap(entry);
            for (int n = random.nextInt(4); n > 0; n--) {
                tamper(tampered);
            }
            out.put(entry);
        }
        if (random.nextInt(10) == 0) {
            byte[] garbage = new byte[random.nextInt(300)];
            random.nextBytes(garbage);
            out.put(garbage);
        }
        return out.written();
    }

    private void tamper(ByteBuffer entry) {
        long extreme = EXTREMES[random.nextInt(EXTREMES.length)];
        int kind = random.nextInt(4);
        if (kind == 0 && entry.capacity() >= Long.BYTES) {
            entry.putLong(random.nextInt(entry.capacity() - Long.BYTES + 1), extreme);
        } else if (kind == 1) {
            entry.putInt(random.nextInt(entry.capacity() - Integer.BYTES + 1), (int) extreme);
        } else if (kind == 2) {
            entry.put(random.nextInt(entry.capacity()), (byte) random.nextInt());
        } else {
            entry.put(4, (byte) random.nextInt(10));
        }
    }

    /** A batch with the right checksums, and now and then with a head that lies. */
    private byte[] batch(long file, long offset, long sequence) {
        int entries = random.nextInt(1, 4);
        ByteBuffer bytes = body(entries);
        ByteBuffer content = bytes.slice(BatchHead.LENGTH, bytes.limit() - BatchHead.LENGTH);
        BatchHead.Body body = BatchHead.Body.of(content, entries);
        Moment moment = new Moment(7, 2, 4);
        int lying = random.nextInt(6);
        if (lying == 0) {
            body = new BatchHead.Body(lie(body.length()), lie(entries), body.crc());
        } else if (lying == 1) {
            moment = new Moment(lie(7L), lie(2L), lie(4L));
        }
        new BatchHead(sequence, sequence - 1, moment, body).write(bytes, file, offset);
        byte[] copy = new byte[bytes.limit()];
        bytes.get(0, copy);
        return copy;
    }

    private int lie(int truth) {
        return (int) (random.nextBoolean() ? truth : EXTREMES[random.nextInt(EXTREMES.length)]);
    }

    private long lie(long truth) {
        return random.nextBoolean() ? truth : EXTREMES[random.nextInt(EXTREMES.length)];
    }

    /** A file of one hostile batch; a segment has its length, a snapshot ends with the batch. */
    private Map<Path, byte[]> journal(FileHead.Kind kind) {
        byte[] batch = batch(1, FileHead.LENGTH, 1);
        int aligned = FileHead.LENGTH + batch.length + (-batch.length & BatchHead.LENGTH - 1);
        boolean segment = kind == FileHead.Kind.SEGMENT;
        ByteBuffer file = ByteBuffer.allocate(segment ? JournalOptions.MIN_SEGMENT_BYTES : aligned);
        new FileHead(1, file.capacity(), 1, segment ? 0 : random.nextInt(1, 4), new Moment(7, 2, 4))
                .write(kind, file);
        file.put(FileHead.LENGTH, batch);
        return Map.of(segment ? NAMES.segment(1) : NAMES.snapshot(1), file.array());
    }

    @Test
    void noBytesWithRightChecksumsDoWorseThanBeRefused() {
        int refused = 0;
        for (int i = 0; i < CASES; i++) {
            Damage journal = new Damage(
                    journal(i % 20 == 0 ? FileHead.Kind.SEGMENT : FileHead.Kind.SNAPSHOT));
            try {
                Damage.State unused = journal.read();
            } catch (DamagedFileException e) {
                refused++;
            } catch (RuntimeException | Error e) {
                throw new AssertionError("case " + i, e);
            }
        }
        System.out.println("hostile journals: " + CASES + ", refused: " + refused);
        assertThat(refused).isBetween(CASES / 2, CASES - 1);
    }

    @Test
    void aStoreThatTakesThemForGoodGoesOn() {
        int opened = 0;
        for (int i = 0; opened < OPENED; i++) {
            SimulatedDisk disk = Stores.disk(i);
            Images.put(journal(FileHead.Kind.SEGMENT), disk);
            World world = World.closed(disk);
            try {
                world.reopen();
                world.pass(Duration.ofSeconds(3));
                Object unused = world.store
                        .acquire(World.request("new", Duration.ofSeconds(2)))
                        .toCompletableFuture()
                        .exceptionally(failure -> {
                            assertThat(failure).isInstanceOf(LeaseholdException.class);
                            return null;
                        });
                assertThat(world.list()).isNotNull();
                world.closeAndReopen();
                opened++;
            } catch (DamagedFileException e) {
                assertThat(e.file()).isEqualTo(NAMES.segment(1));
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("case " + i, e);
            }
        }
    }
}
