// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Limits;
import io.leasehold.table.End;
import io.leasehold.table.Outcome;
import io.leasehold.table.TableEntry;
import io.leasehold.table.TableEntry.Course;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Entries from bytes, see {@link EntryFormat}. Most leases of a store have one of few holders and
 * ttls; those read lately are shared instead of made anew. Not thread-safe.
 */
final class EntryReader {

    private static final int SHARED = 64;

    private final @Nullable Seen[] holders = new @Nullable Seen[SHARED];
    private final @Nullable Duration[] durations = new @Nullable Duration[SHARED];

    /** A holder and the bytes of its label. */
    @SuppressWarnings("ArrayRecordComponent") // never compared, never leaves the class
    private record Seen(byte[] label, Holder holder) {

        boolean is(byte[] bytes, int from, int length) {
            return Arrays.equals(label, 0, label.length, bytes, from, from + length);
        }
    }

    /**
     * Reads one entry.
     *
     * @throws IllegalArgumentException if it makes no sense; nothing was told then
     */
    void read(ByteBuffer in, Entries entries) {
        try {
            int length = in.getInt();
            if (length < 1 || length > EntryFormat.MAX_LENGTH || length > in.remaining()) {
                throw new IllegalArgumentException("an entry of " + length + " bytes");
            }
            int behind = in.limit();
            int end = in.position() + length;
            in.limit(end);
            readBody(in, entries);
            in.limit(behind);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("an entry ends too early", e);
        }
    }

    private void readBody(ByteBuffer in, Entries entries) {
        int type = in.get();
        switch (type) {
            case EntryFormat.LEASED, EntryFormat.LEASED_AS_ASKED ->
                entries.change(whole(in, readLeased(type, in)));
            case EntryFormat.ENDED, EntryFormat.ENDED_LEAVING ->
                entries.change(whole(in, readEnded(type, in)));
            case EntryFormat.CLEARED ->
                entries.change(whole(in, new TableEntry.Cleared(readId(in), readClaim(in))));
            case EntryFormat.KEPT -> entries.change(whole(in, readKept(in)));
            case EntryFormat.ERASED ->
                entries.change(whole(in, new TableEntry.Erased(readScopes(in))));
            case EntryFormat.STARTED -> entries.started(whole(in, readTime(in)));
            case EntryFormat.STANDING ->
                entries.standing(
                        whole(in, new Standing(readToken(in), readTime(in), readTime(in))));
            case EntryFormat.STANDING_OF_STORE -> entries.standing(whole(in, readStanding(in)));
            default ->
                throw new IllegalArgumentException(
                        "an entry of the unknown type " + type + ": a newer version wrote it");
        }
    }

    private static <T> T whole(ByteBuffer in, T entry) {
        if (in.hasRemaining()) {
            throw new IllegalArgumentException("an entry goes on behind its end");
        }
        return entry;
    }

    private static Standing readStanding(ByteBuffer in) {
        return new Standing(
                readToken(in),
                readTime(in),
                readTime(in),
                Optional.of(new StoreId(in.getLong(), in.getLong())));
    }

    private TableEntry.Leased readLeased(int type, ByteBuffer in) {
        LeaseId id = readId(in);
        Optional<Duration> askedTtl = type == EntryFormat.LEASED_AS_ASKED
                ? Optional.of(Limits.ttl(duration(in.getLong())))
                : Optional.empty();
        Duration ttl = Limits.ttl(duration(in.getLong()));
        Duration lockDelay = Limits.lockDelay(duration(in.getLong()));
        Course course = new Course(
                readTime(in),
                readTime(in),
                readTime(in),
                readToken(in),
                one(EntryFormat.PHASES, in.get()));
        Grant grant = new Grant(readHolding(in), id, ttl);
        return new TableEntry.Leased(grant, askedTtl, lockDelay, readRecord(in), course);
    }

    private TableEntry.Ended readEnded(int type, ByteBuffer in) {
        LeaseId id = readId(in);
        End end = one(EntryFormat.ENDS, in.get());
        long token = readToken(in);
        long at = readTime(in);
        long digest = type == EntryFormat.ENDED_LEAVING ? in.getLong() : 0;
        Optional<Claim> claim = in.get() == 0 ? Optional.empty() : Optional.of(readClaim(in));
        return new TableEntry.Ended(id, claim, new Outcome(end, token, digest), at);
    }

    private TableEntry.Kept readKept(ByteBuffer in) {
        long completedAt = readTime(in);
        long until = readTime(in);
        Holding holding = readHolding(in);
        List<Scope> scopes = readScopes(in);
        LeaseRecord record = readRecord(in)
                .orElseThrow(() -> new IllegalArgumentException("a kept record without one"));
        return new TableEntry.Kept(
                scopes.isEmpty() ? holding.claim().scopes() : scopes,
                holding,
                record,
                completedAt,
                until);
    }

    private static long readTime(ByteBuffer in) {
        return Moment.plausible(in.getLong());
    }

    private static long readToken(ByteBuffer in) {
        return Moment.plausibleToken(in.getLong());
    }

    private LeaseId readId(ByteBuffer in) {
        return new LeaseId(in.getLong(), in.getLong());
    }

    private Holding readHolding(ByteBuffer in) {
        FencingToken token = new FencingToken(in.getLong());
        Holder holder = readHolder(in);
        return new Holding(readClaim(in), holder, token);
    }

    private Optional<LeaseRecord> readRecord(ByteBuffer in) {
        int kind = Byte.toUnsignedInt(in.get());
        if (kind == EntryFormat.NO_RECORD) {
            return Optional.empty();
        }
        int length = in.getInt();
        if (length < 0 || length > LeaseRecord.MAX_BYTES) {
            throw new IllegalArgumentException("a record of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return Optional.of(LeaseRecord.of(one(EntryFormat.KINDS, kind), bytes));
    }

    private Claim readClaim(ByteBuffer in) {
        Mode mode = one(EntryFormat.MODES, in.get());
        return new Claim(readScopes(in), mode);
    }

    private List<Scope> readScopes(ByteBuffer in) {
        int count = in.get();
        if (count == 1) {
            return List.of(readScope(in));
        }
        List<Scope> scopes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            scopes.add(readScope(in));
        }
        return scopes;
    }

    private Scope readScope(ByteBuffer in) {
        int kind = in.get();
        return switch (kind) {
            case EntryFormat.NAME -> Scope.name(readText(in));
            case EntryFormat.PATH -> Scope.path(readText(in));
            case EntryFormat.SUBTREE -> Scope.subtree(readText(in));
            case EntryFormat.INODE -> Scope.inode(in.getLong());
            case EntryFormat.RANGE -> Scope.range(in.getLong(), in.getLong(), in.getLong());
            default -> throw new IllegalArgumentException("a scope of the unknown kind " + kind);
        };
    }

    private Holder readHolder(ByteBuffer in) {
        int length = readLength(in);
        int from = in.arrayOffset() + in.position();
        int hash = 0;
        for (int i = from; i < from + length; i++) {
            hash = 31 * hash + in.array()[i];
        }
        Seen seen = holders[hash & holders.length - 1];
        if (seen == null || !seen.is(in.array(), from, length)) {
            byte[] label = Arrays.copyOfRange(in.array(), from, from + length);
            seen = new Seen(label, new Holder(new String(label, StandardCharsets.UTF_8)));
            holders[hash & holders.length - 1] = seen;
        }
        in.position(in.position() + length);
        return seen.holder;
    }

    private static String readText(ByteBuffer in) {
        int length = readLength(in);
        int from = in.arrayOffset() + in.position();
        in.position(in.position() + length);
        return new String(in.array(), from, length, StandardCharsets.UTF_8);
    }

    private static int readLength(ByteBuffer in) {
        int length = Short.toUnsignedInt(in.getShort());
        if (length > in.remaining()) {
            throw new IllegalArgumentException("a text of " + length + " bytes");
        }
        return length;
    }

    private Duration duration(long nanos) {
        int slot = Long.hashCode(nanos) & durations.length - 1;
        Duration seen = durations[slot];
        if (seen == null || seen.toNanos() != nanos) {
            seen = Duration.ofNanos(nanos);
            durations[slot] = seen;
        }
        return seen;
    }

    private static <T> T one(List<T> all, int index) {
        if (index < 0 || index >= all.size()) {
            throw new IllegalArgumentException("value " + index + " of " + all);
        }
        return all.get(index);
    }
}
