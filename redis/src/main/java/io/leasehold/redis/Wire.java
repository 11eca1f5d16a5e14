// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.NodeStanding.Membership;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** How values are written for the script, and read back. The script's own files say what it means. */
final class Wire {

    private static final HexFormat HEX = HexFormat.of();
    private static final char BETWEEN_SCOPES = '\0';
    private static final char SEPARATOR = '\1';
    private static final LeaseRecord.Kind[] KINDS = LeaseRecord.Kind.values();
    private static final byte[] NOTHING = new byte[0];

    private Wire() {}

    static byte[] text(String text) {
        return text.getBytes(UTF_8);
    }

    static byte[] number(long number) {
        return text(Long.toString(number));
    }

    static byte[] length(Duration length) {
        return number(micros(length));
    }

    /** Rounded up: a length that is not zero never becomes so. */
    static long micros(Duration length) {
        return length.plusNanos(999).truncatedTo(ChronoUnit.MICROS).toNanos() / 1000;
    }

    static Duration micros(Object answer) {
        return Duration.of(number(answer), ChronoUnit.MICROS);
    }

    static byte[] id(LeaseId id) {
        return text(id.reveal());
    }

    static byte[] optional(Optional<LeaseRecord> record) {
        return record.map(Wire::record).orElse(NOTHING);
    }

    /** Its kind, then its bytes. */
    static byte[] record(LeaseRecord record) {
        byte[] bytes = record.bytes();
        byte[] written = new byte[bytes.length + 1];
        written[0] = (byte) ('0' + Arrays.asList(KINDS).indexOf(record.kind()));
        System.arraycopy(bytes, 0, written, 1, bytes.length);
        return written;
    }

    static byte[] claim(Claim claim) {
        StringBuilder written = new StringBuilder(64);
        written.append(claim.mode() == Mode.EXCLUSIVE ? 'x' : 's');
        for (Scope scope : claim.scopes()) {
            if (written.length() > 1) {
                written.append(BETWEEN_SCOPES);
            }
            write(scope, written);
        }
        return text(written.toString());
    }

    static byte[] scope(Scope scope) {
        StringBuilder written = new StringBuilder(64);
        write(scope, written);
        return text(written.toString());
    }

    private static void write(Scope scope, StringBuilder to) {
        if (scope instanceof Scope.Name name) {
            to.append('n').append(name.name());
        } else if (scope instanceof Scope.Path path) {
            to.append('p').append(segments(path.path()));
        } else if (scope instanceof Scope.Subtree subtree) {
            to.append('t').append(segments(subtree.path()));
        } else if (scope instanceof Scope.Inode inode) {
            to.append('i').append(HEX.toHexDigits(inode.inode()));
        } else if (scope instanceof Scope.ByteRange range) {
            int logarithm = 63 - Long.numberOfLeadingZeros(range.end() - range.start());
            to.append('r')
                    .append(HEX.toHexDigits(range.inode()))
                    .append(HEX.toHexDigits((byte) logarithm))
                    .append(HEX.toHexDigits(range.start()))
                    .append(HEX.toHexDigits(range.end()));
        }
    }

    private static String segments(String path) {
        return path.equals("/") ? "" : path.replace('/', SEPARATOR);
    }

    /** How many nodes it has, which one this is, then its name. */
    static byte[] membership(Membership membership) {
        byte[] name = text(membership.quorum());
        return ByteBuffer.allocate(2 + name.length)
                .put((byte) membership.nodes())
                .put((byte) membership.index())
                .put(name)
                .array();
    }

    // ---- answers

    static String string(Object answer) {
        return answer instanceof byte[] bytes ? new String(bytes, UTF_8) : answer.toString();
    }

    static long number(Object answer) {
        return answer instanceof Long number ? number : Long.parseLong(string(answer));
    }

    static FencingToken token(Object answer) {
        return new FencingToken(number(answer));
    }

    static Optional<LeaseRecord> optionalRecord(Object answer) {
        byte[] written = (byte[]) answer;
        return written.length == 0 ? Optional.empty() : Optional.of(readRecord(written));
    }

    static LeaseRecord readRecord(Object answer) {
        byte[] written = (byte[]) answer;
        return LeaseRecord.of(
                KINDS[written[0] - '0'], Arrays.copyOfRange(written, 1, written.length));
    }

    static Optional<Membership> readMembership(byte[] written) {
        return written.length == 0
                ? Optional.empty()
                : Optional.of(new Membership(
                        new String(written, 2, written.length - 2, UTF_8), written[0], written[1]));
    }

    /** A claim, a holder and a token that follow each other in an answer. */
    static Holding holding(List<?> answer, int from) {
        return new Holding(
                readClaim(string(answer.get(from))),
                new Holder(string(answer.get(from + 1))),
                token(answer.get(from + 2)));
    }

    static Claim readClaim(String written) {
        List<Scope> scopes = new ArrayList<>();
        int from = 1;
        while (from > 0) {
            int to = written.indexOf(BETWEEN_SCOPES, from);
            scopes.add(readScope(written.substring(from, to < 0 ? written.length() : to)));
            from = to + 1;
        }
        return new Claim(scopes, written.charAt(0) == 'x' ? Mode.EXCLUSIVE : Mode.SHARED);
    }

    static Scope readScope(String written) {
        String body = written.substring(1);
        return switch (written.charAt(0)) {
            case 'n' -> Scope.name(body);
            case 'p' -> Scope.path(path(body));
            case 't' -> Scope.subtree(path(body));
            case 'i' -> Scope.inode(HexFormat.fromHexDigitsToLong(body));
            case 'r' ->
                Scope.range(
                        HexFormat.fromHexDigitsToLong(body, 0, 16),
                        HexFormat.fromHexDigitsToLong(body, 18, 34),
                        HexFormat.fromHexDigitsToLong(body, 34, 50));
            default -> throw new IllegalArgumentException("a scope of an unknown kind");
        };
    }

    private static String path(String segments) {
        return segments.isEmpty() ? "/" : segments.replace(SEPARATOR, '/');
    }
}
