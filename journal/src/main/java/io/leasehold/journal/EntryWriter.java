// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.model.Claim;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.spi.Grant;
import io.leasehold.table.Outcome;
import io.leasehold.table.TableEntry;
import io.leasehold.table.TableEntry.Course;

import java.util.List;
import java.util.Optional;

/** Entries to bytes, see {@link EntryFormat}. */
final class EntryWriter {

    private EntryWriter() {}

    // ---- writing

    static void write(TableEntry entry, Output out) {
        int begin = begin(out);
        if (entry instanceof TableEntry.Leased leased) {
            boolean asked = leased.askedTtl().isPresent();
            write(leased, out.put(asked ? EntryFormat.LEASED_AS_ASKED : EntryFormat.LEASED));
        } else if (entry instanceof TableEntry.Ended ended) {
            boolean leaving = ended.outcome().digest() != 0;
            write(ended, out.put(leaving ? EntryFormat.ENDED_LEAVING : EntryFormat.ENDED));
        } else if (entry instanceof TableEntry.Cleared cleared) {
            writeId(cleared.id(), out.put(EntryFormat.CLEARED));
            writeClaim(cleared.claim(), out);
        } else if (entry instanceof TableEntry.Kept kept) {
            write(kept, out.put(EntryFormat.KEPT));
        } else if (entry instanceof TableEntry.Erased erased) {
            writeScopes(erased.scopes(), out.put(EntryFormat.ERASED));
        }
        end(begin, out);
    }

    static void writeStarted(long now, Output out) {
        int begin = begin(out);
        out.put(EntryFormat.STARTED).putLong(now);
        end(begin, out);
    }

    static void write(Standing standing, Output out) {
        int begin = begin(out);
        Optional<StoreId> id = standing.storeId();
        out.put(id.isPresent() ? EntryFormat.STANDING_OF_STORE : EntryFormat.STANDING)
                .putLong(standing.lastToken())
                .putLong(standing.frozenUntil())
                .putLong(standing.longestTtl());
        id.ifPresent(store -> out.putLong(store.high()).putLong(store.low()));
        end(begin, out);
    }

    private static int begin(Output out) {
        int begin = out.position();
        out.putInt(0);
        return begin;
    }

    private static void end(int begin, Output out) {
        int length = out.position() - begin - Integer.BYTES;
        if (length > EntryFormat.MAX_LENGTH) {
            throw new AssertionError("an entry of " + length + " bytes");
        }
        out.putInt(begin, length);
    }

    private static void write(TableEntry.Leased leased, Output out) {
        Grant grant = leased.grant();
        Course course = leased.course();
        writeId(grant.id(), out);
        leased.askedTtl().ifPresent(ttl -> out.putLong(ttl.toNanos()));
        out.putLong(grant.ttl().toNanos())
                .putLong(leased.lockDelay().toNanos())
                .putLong(course.grantedAt())
                .putLong(course.expiry())
                .putLong(course.version())
                .putLong(course.rotatedFrom())
                .put(EntryFormat.PHASES.indexOf(course.phase()));
        writeHolding(grant.holding(), out);
        writeRecord(leased.record(), out);
    }

    private static void write(TableEntry.Ended ended, Output out) {
        Outcome outcome = ended.outcome();
        writeId(ended.id(), out);
        out.put(EntryFormat.ENDS.indexOf(outcome.end()))
                .putLong(outcome.token())
                .putLong(ended.at());
        if (outcome.digest() != 0) {
            out.putLong(outcome.digest());
        }
        out.put(ended.claim().isPresent() ? 1 : 0);
        ended.claim().ifPresent(claim -> writeClaim(claim, out));
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
            out.put(EntryFormat.NO_RECORD);
        } else {
            byte[] bytes = record.get().bytes();
            out.put(EntryFormat.KINDS.indexOf(record.get().kind()))
                    .putInt(bytes.length)
                    .put(bytes);
        }
    }

    private static void writeClaim(Claim claim, Output out) {
        writeScopes(claim.scopes(), out.put(EntryFormat.MODES.indexOf(claim.mode())));
    }

    private static void writeScopes(List<Scope> scopes, Output out) {
        out.put(scopes.size());
        for (Scope scope : scopes) {
            if (scope instanceof Scope.Name name) {
                out.put(EntryFormat.NAME).putText(name.name());
            } else if (scope instanceof Scope.Path path) {
                out.put(EntryFormat.PATH).putText(path.path());
            } else if (scope instanceof Scope.Subtree subtree) {
                out.put(EntryFormat.SUBTREE).putText(subtree.path());
            } else if (scope instanceof Scope.Inode inode) {
                out.put(EntryFormat.INODE).putLong(inode.inode());
            } else if (scope instanceof Scope.ByteRange range) {
                out.put(EntryFormat.RANGE)
                        .putLong(range.inode())
                        .putLong(range.start())
                        .putLong(range.end());
            }
        }
    }
}
