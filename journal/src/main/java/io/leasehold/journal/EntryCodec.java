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
import io.leasehold.spi.Grant;
import io.leasehold.table.End;
import io.leasehold.table.TableEntry;
import io.leasehold.table.TableEntry.Course;
import io.leasehold.table.TableEntry.Phase;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Entries as bytes: four bytes of length, one of type, then what the type says. The exact layout is
 * in docs/engines/journal-format.md; a change to it is a new version of the format.
 */
final class EntryCodec {

    /** More than any entry takes: a record, the claim it is about, a holder, numbers. */
    static final int MAX_LENGTH = 160 * 1024;

    private static final int LEASED = 1;
    private static final int ENDED = 2;
    private static final int CLEARED = 3;
    private static final int KEPT = 4;
    private static final int ERASED = 5;
    private static final int STARTED = 6;
    private static final int STANDING = 7;

    // in this order in the files, for ever: only append
    private static final List<Phase> PHASES =
            List.of(Phase.RUNNING, Phase.CARRIED_OVER, Phase.LINGERING);
    private static final List<End> ENDS =
            List.of(End.RELEASED, End.COMPLETED, End.EXPIRED, End.WITHDRAWN);
    private static final List<Mode> MODES = List.of(Mode.EXCLUSIVE, Mode.SHARED);
    private static final List<LeaseRecord.Kind> KINDS =
            List.of(LeaseRecord.Kind.VALUE, LeaseRecord.Kind.RUNNING, LeaseRecord.Kind.FAILURE);

    private static final int NO_RECORD = 255;

    private EntryCodec() {}

    // ---- writing

    static void write(TableEntry entry, Output out) {
        int begin = begin(out);
        if (entry instanceof TableEntry.Leased leased) {
            write(leased, out.put(LEASED));
        } else if (entry instanceof TableEntry.Ended ended) {
            writeId(ended.id(), out.put(ENDED));
            out.put(ENDS.indexOf(ended.end())).putLong(ended.token()).putLong(ended.at());
            out.put(ended.claim().isPresent() ? 1 : 0);
            ended.claim().ifPresent(claim -> writeClaim(claim, out));
        } else if (entry instanceof TableEntry.Cleared cleared) {
            writeId(cleared.id(), out.put(CLEARED));
            writeClaim(cleared.claim(), out);
        } else if (entry instanceof TableEntry.Kept kept) {
            write(kept, out.put(KEPT));
        } else if (entry instanceof TableEntry.Erased erased) {
            writeScopes(erased.scopes(), out.put(ERASED));
        }
        end(begin, out);
    }

    static void writeStarted(long now, Output out) {
        int begin = begin(out);
        out.put(STARTED).putLong(now);
        end(begin, out);
    }

    static void write(Standing standing, Output out) {
        int begin = begin(out);
        out.put(STANDING)
                .putLong(standing.lastToken())
                .putLong(standing.frozenUntil())
                .putLong(standing.longestTtl());
        end(begin, out);
    }

    private static int begin(Output out) {
        int begin = out.position();
        out.putInt(0);
        return begin;
    }

    private static void end(int begin, Output out) {
        int length = out.position() - begin - Integer.BYTES;
        if (length > MAX_LENGTH) {
            throw new AssertionError("an entry of " + length + " bytes");
        }
        out.putInt(begin, length);
    }

    private static void write(TableEntry.Leased leased, Output out) {
        Grant grant = leased.grant();
        Course course = leased.course();
        writeId(grant.id(), out);
        out.putLong(grant.ttl().toNanos())
                .putLong(leased.lockDelay().toNanos())
                .putLong(course.grantedAt())
                .putLong(course.expiry())
                .putLong(course.version())
                .putLong(course.rotatedFrom())
                .put(PHASES.indexOf(course.phase()));
        writeHolding(grant.holding(), out);
        writeRecord(leased.record(), out);
    }

    private static void write(TableEntry.Kept kept, Output out) {
        out.putLong(kept.completedAt()).putLong(kept.until());
        writeHolding(kept.holding(), out);
        boolean everywhere = kept.scopes().equals(kept.holding().claim().scopes());
        writeScopes(everywhere ? List.of() : kept.scopes(), out);
        writeRecord(Optional.of(kept.record()), out);
    }

    private static void writeId(LeaseId id, Output out) {
        out.putLong(id.high()).putLong(id.low());
    }

    private static void writeHolding(Holding holding, Output out) {
        out.putLong(holding.token().value()).putText(holding.holder().label());
        writeClaim(holding.claim(), out);
    }

    private static void writeRecord(Optional<LeaseRecord> record, Output out) {
        if (record.isEmpty()) {
            out.put(NO_RECORD);
        } else {
            byte[] bytes = record.get().bytes();
            out.put(KINDS.indexOf(record.get().kind())).putInt(bytes.length).put(bytes);
        }
    }

    private static void writeClaim(Claim claim, Output out) {
        writeScopes(claim.scopes(), out.put(MODES.indexOf(claim.mode())));
    }

    private static void writeScopes(List<Scope> scopes, Output out) {
        out.put(scopes.size());
        for (Scope scope : scopes) {
            if (scope instanceof Scope.Name name) {
                out.put(1).putText(name.name());
            } else if (scope instanceof Scope.Path path) {
                out.put(2).putText(path.path());
            } else if (scope instanceof Scope.Subtree subtree) {
                out.put(3).putText(subtree.path());
            } else if (scope instanceof Scope.Inode inode) {
                out.put(4).putLong(inode.inode());
            } else if (scope instanceof Scope.ByteRange range) {
                out.put(5).putLong(range.inode()).putLong(range.start()).putLong(range.end());
            }
        }
    }

    // ---- reading

    /**
     * Reads one entry.
     *
     * @throws IllegalArgumentException if it makes no sense; nothing was told then
     */
    static void read(ByteBuffer in, Entries entries) {
        try {
            int length = in.getInt();
            if (length < 1 || length > MAX_LENGTH || length > in.remaining()) {
                throw new IllegalArgumentException("an entry of " + length + " bytes");
            }
            int end = in.position() + length;
            ByteBuffer entry = in.duplicate().limit(end);
            in.position(end);
            readBody(entry, entries);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("an entry ends too early", e);
        }
    }

    private static void readBody(ByteBuffer in, Entries entries) {
        int type = in.get();
        switch (type) {
            case LEASED -> entries.change(whole(in, readLeased(in)));
            case ENDED -> entries.change(whole(in, readEnded(in)));
            case CLEARED ->
                entries.change(whole(in, new TableEntry.Cleared(readId(in), readClaim(in))));
            case KEPT -> entries.change(whole(in, readKept(in)));
            case ERASED -> entries.change(whole(in, new TableEntry.Erased(readScopes(in))));
            case STARTED -> entries.started(whole(in, in.getLong()));
            case STANDING ->
                entries.standing(whole(in, new Standing(in.getLong(), in.getLong(), in.getLong())));
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

    private static TableEntry.Leased readLeased(ByteBuffer in) {
        LeaseId id = readId(in);
        Duration ttl = Duration.ofNanos(in.getLong());
        Duration lockDelay = Duration.ofNanos(in.getLong());
        Course course = new Course(
                in.getLong(), in.getLong(), in.getLong(), in.getLong(), one(PHASES, in.get()));
        Grant grant = new Grant(readHolding(in), id, ttl);
        return new TableEntry.Leased(grant, lockDelay, readRecord(in), course);
    }

    private static TableEntry.Ended readEnded(ByteBuffer in) {
        LeaseId id = readId(in);
        End end = one(ENDS, in.get());
        long token = in.getLong();
        long at = in.getLong();
        Optional<Claim> claim = in.get() == 0 ? Optional.empty() : Optional.of(readClaim(in));
        return new TableEntry.Ended(id, claim, end, token, at);
    }

    private static TableEntry.Kept readKept(ByteBuffer in) {
        long completedAt = in.getLong();
        long until = in.getLong();
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

    private static LeaseId readId(ByteBuffer in) {
        return new LeaseId(in.getLong(), in.getLong());
    }

    private static Holding readHolding(ByteBuffer in) {
        FencingToken token = new FencingToken(in.getLong());
        Holder holder = new Holder(readText(in));
        return new Holding(readClaim(in), holder, token);
    }

    private static Optional<LeaseRecord> readRecord(ByteBuffer in) {
        int kind = Byte.toUnsignedInt(in.get());
        if (kind == NO_RECORD) {
            return Optional.empty();
        }
        int length = in.getInt();
        if (length < 0 || length > LeaseRecord.MAX_BYTES) {
            throw new IllegalArgumentException("a record of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return Optional.of(LeaseRecord.of(one(KINDS, kind), bytes));
    }

    private static Claim readClaim(ByteBuffer in) {
        Mode mode = one(MODES, in.get());
        return new Claim(readScopes(in), mode);
    }

    private static List<Scope> readScopes(ByteBuffer in) {
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

    private static Scope readScope(ByteBuffer in) {
        int kind = in.get();
        return switch (kind) {
            case 1 -> Scope.name(readText(in));
            case 2 -> Scope.path(readText(in));
            case 3 -> Scope.subtree(readText(in));
            case 4 -> Scope.inode(in.getLong());
            case 5 -> Scope.range(in.getLong(), in.getLong(), in.getLong());
            default -> throw new IllegalArgumentException("a scope of the unknown kind " + kind);
        };
    }

    private static String readText(ByteBuffer in) {
        int length = Short.toUnsignedInt(in.getShort());
        if (length > in.remaining()) {
            throw new IllegalArgumentException("a text of " + length + " bytes");
        }
        String text = new String(
                in.array(), in.arrayOffset() + in.position(), length, StandardCharsets.UTF_8);
        in.position(in.position() + length);
        return text;
    }

    private static <T> T one(List<T> all, int index) {
        if (index < 0 || index >= all.size()) {
            throw new IllegalArgumentException("value " + index + " of " + all);
        }
        return all.get(index);
    }
}
