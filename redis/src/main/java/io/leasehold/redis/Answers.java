// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.RefusalReason;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.NodeRecord;
import io.leasehold.spi.NodeStanding;
import io.leasehold.spi.Polled;
import io.leasehold.spi.Raising;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal;
import io.leasehold.spi.Rotation;
import io.leasehold.spi.Round;
import io.leasehold.spi.TokenState;
import io.leasehold.spi.Validity;
import io.leasehold.table.TableOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** Reads what the script answers; {@code operations.lua} says what there is. */
final class Answers {

    /** Where the row of a record has its scope; the row of a lease ends before. */
    static final int SCOPE_OF_A_RECORD = 8;

    private static final int STATE_OF_A_TOKEN = 2;
    private static final int BYTES_OF_A_RENEWAL = 1 + 2 * Double.BYTES;
    private static final int BYTES_OF_AN_ID = 32;
    private static final Ending.Ended ENDED = new Ending.Ended();

    private final TableOptions bounds;

    Answers(TableOptions bounds) {
        this.bounds = bounds;
    }

    static String letter(List<?> answer) {
        return Wire.string(answer.get(0));
    }

    /** The fields of an answer, which may be in one word; {@code state.lua} says which. */
    @SuppressWarnings("unchecked") // every other answer of the script is an array
    static List<Object> fields(Object answer) {
        return answer instanceof byte[] word
                ? fields(ByteBuffer.wrap(word))
                : (List<Object>) answer;
    }

    private static List<Object> fields(ByteBuffer word) {
        byte[] letter = {word.get()};
        if (letter[0] == 'Q') {
            return List.of(letter, (long) word.getDouble(), (long) word.getDouble());
        }
        return word.hasRemaining() ? List.of(letter, rest(word)) : List.of((Object) letter);
    }

    /** The same for an answer to one who waited: the lease id in front, the time behind. */
    static List<Object> delivery(Object answer) {
        if (!(answer instanceof byte[] bytes)) {
            return fields(answer);
        }
        ByteBuffer word = ByteBuffer.wrap(bytes);
        byte[] id = new byte[BYTES_OF_AN_ID];
        word.get(id);
        long at = (long) word.getDouble();
        List<Object> fields = new ArrayList<>();
        fields.add(id);
        fields.addAll(fields(word));
        fields.add(at);
        return fields;
    }

    private static byte[] rest(ByteBuffer word) {
        byte[] rest = new byte[word.remaining()];
        word.get(rest);
        return rest;
    }

    /** Whether a word beside the answers says that work was left for the next call. */
    static boolean isWorkLeft(Object word) {
        return word instanceof byte[] bytes && bytes.length == 1 && bytes[0] == 'A';
    }

    /** Whether an operation failed. */
    static boolean isError(Object answer) {
        return answer instanceof List<?> fields
                && !fields.isEmpty()
                && fields.get(0) instanceof byte[] letter
                && letter.length == 1
                && letter[0] == '!';
    }

    /** Why it failed, in the server's words. */
    static String error(Object answer) {
        return Wire.string(((List<?>) answer).get(1));
    }

    /** The answer to an acquire that is no longer queued, or to one that was. */
    Acquisition acquisition(List<?> answer, LeaseRequest request, Duration inStore) {
        return switch (letter(answer)) {
            case "G" -> granted(answer, request, inStore);
            case "H" ->
                new Acquisition.Held(
                        Wire.holding(answer, 1),
                        Wire.micros(answer.get(4)),
                        Wire.optionalRecord(answer.get(5)),
                        Wire.number(answer.get(6)) == 1);
            case "C" ->
                new Acquisition.Completed(
                        Wire.readRecord(answer.get(1)),
                        Wire.token(answer.get(2)),
                        Wire.micros(answer.get(3)));
            case "N" -> new Acquisition.Gone(reason(answer.get(1)));
            case "L" -> throw limit(answer, request);
            default -> throw unknown(answer);
        };
    }

    /** The same with what a node of a quorum knows of the token. */
    Polled<Acquisition> polled(List<?> answer, LeaseRequest request, Duration inStore) {
        return new Polled<>(acquisition(answer, request, inStore), tokenState(answer));
    }

    /** What a node of a quorum knows of the token; nothing but its draw where that is all. */
    static TokenState tokenState(List<?> answer) {
        if (!letter(answer).equals("G")) {
            return TokenState.NONE;
        } else if (answer.size() <= STATE_OF_A_TOKEN) {
            long draw = (long) ByteBuffer.wrap((byte[]) answer.get(1)).getDouble();
            return new TokenState(draw, Round.NONE, Round.NONE, 0);
        }
        ByteBuffer fields = ByteBuffer.wrap((byte[]) answer.get(STATE_OF_A_TOKEN));
        return new TokenState(
                (long) fields.getDouble(),
                new Round((long) fields.getDouble(), (long) fields.getDouble()),
                new Round((long) fields.getDouble(), (long) fields.getDouble()),
                (long) fields.getDouble());
    }

    private static Acquisition.Granted granted(
            List<?> answer, LeaseRequest request, Duration inStore) {
        Given given = Given.of(answer.get(1), request);
        Holding holding = new Holding(request.claim(), given.holder, given.token);
        return new Acquisition.Granted(
                new Grant(holding, request.id(), given.ttl),
                given.version,
                new Validity(inStore, given.remaining));
    }

    Rotation rotation(List<?> answer, Grant grant) {
        return switch (letter(answer)) {
            case "G" -> {
                Given given = Given.of(answer.get(1));
                Holding before = grant.holding();
                Holding after = new Holding(before.claim(), before.holder(), given.token);
                yield new Rotation.Rotated(
                        new Grant(after, grant.id(), given.ttl),
                        given.version,
                        new Validity(Duration.ZERO, given.remaining));
            }
            case "X" -> new Refused(reason(answer.get(1)));
            case "L" -> throw tokens();
            default -> throw unknown(answer);
        };
    }

    /** What the script tells of a lease that it grants. Numbers up to 2^53 are exact in a double. */
    private record Given(
            FencingToken token, long version, Duration remaining, Duration ttl, Holder holder) {

        /** The token alone if all else is as it was asked for. */
        static Given of(Object answer, LeaseRequest request) {
            byte[] fields = (byte[]) answer;
            if (fields.length > Double.BYTES) {
                return of(answer);
            }
            Duration ttl = Wire.micros(Wire.micros(request.terms().ttl()));
            FencingToken token = new FencingToken((long) ByteBuffer.wrap(fields).getDouble());
            return new Given(token, 1, ttl, ttl, request.holder());
        }

        static Given of(Object answer) {
            ByteBuffer fields = ByteBuffer.wrap((byte[]) answer);
            return new Given(
                    new FencingToken((long) fields.getDouble()),
                    (long) fields.getDouble(),
                    Wire.micros((long) fields.getDouble()),
                    Wire.micros((long) fields.getDouble()),
                    new Holder(UTF_8.decode(fields).toString()));
        }
    }

    /** The answer to a raise. */
    static Raising raising(List<?> answer) {
        return switch (letter(answer)) {
            case "E" -> new Raising.Raised();
            case "X" -> new Refused(reason(answer.get(1)));
            default -> throw unknown(answer);
        };
    }

    static NodeStanding standing(List<?> answer) {
        return new NodeStanding(
                HexFormat.fromHexDigitsToLong(Wire.string(answer.get(1))),
                Wire.number(answer.get(2)),
                Wire.micros(answer.get(3)),
                Wire.readMembership((byte[]) answer.get(4)));
    }

    static Ending ending(List<?> answer) {
        return letter(answer).equals("E") ? ENDED : new Refused(reason(answer.get(1)));
    }

    /** A letter and two numbers for each lease, all in one. */
    static List<Renewal> renewals(List<?> answer) {
        ByteBuffer results = ByteBuffer.wrap((byte[]) answer.get(1));
        List<Renewal> renewals = new ArrayList<>(results.remaining() / BYTES_OF_A_RENEWAL);
        while (results.hasRemaining()) {
            char letter = (char) results.get();
            long version = (long) results.getDouble();
            long remaining = (long) results.getDouble();
            renewals.add(
                    letter == 'R'
                            ? new Renewal.Renewed(
                                    version, new Validity(Duration.ZERO, Wire.micros(remaining)))
                            : new Refused(reason(letter)));
        }
        return renewals;
    }

    static LeaseView row(List<?> row) {
        return new LeaseView(
                Wire.holding(row, 1),
                state(letter(row)),
                Wire.micros(row.get(4)),
                Wire.micros(row.get(5)),
                Math.toIntExact(Wire.number(row.get(6))),
                Wire.optionalRecord(row.get(7)));
    }

    private static LeaseView.State state(String letter) {
        return switch (letter) {
            case "H" -> LeaseView.State.HELD;
            case "D" -> LeaseView.State.LOCK_DELAY;
            default -> LeaseView.State.COMPLETED;
        };
    }

    /** A cursor, then rows of records. */
    static NodeRecord.Page records(List<?> answer) {
        List<NodeRecord> records = new ArrayList<>();
        for (Object each : answer.subList(1, answer.size())) {
            List<?> row = (List<?>) each;
            records.add(new NodeRecord(
                    Wire.readScope(Wire.string(row.get(SCOPE_OF_A_RECORD))),
                    Wire.holding(row, 1),
                    Wire.readRecord(row.get(7)),
                    Wire.micros(row.get(4)),
                    Wire.micros(row.get(5))));
        }
        String next = Wire.string(answer.get(0));
        return new NodeRecord.Page(
                records, next.equals("0") ? Optional.empty() : Optional.of(next));
    }

    /** The answer to records that were to be kept. */
    NodeStanding kept(List<?> answer) {
        if (letter(answer).equals("L")) {
            throw leases();
        }
        return standing(answer);
    }

    static RefusalReason reason(Object letter) {
        return switch (Wire.string(letter)) {
            case "f" -> RefusalReason.NOT_FOUND;
            case "h" -> RefusalReason.NOT_HOLDER;
            case "t" -> RefusalReason.TOKEN_MISMATCH;
            case "e" -> RefusalReason.EXPIRED;
            case "v" -> RefusalReason.VERSION_MISMATCH;
            case "s" -> RefusalReason.SCOPE_MISMATCH;
            default -> throw new IllegalArgumentException("an unknown reason: " + letter);
        };
    }

    private LimitExceededException limit(List<?> answer, LeaseRequest request) {
        return switch (Wire.string(answer.get(1))) {
            case "leases" -> leases();
            case "waiters" ->
                new LimitExceededException(
                        "waiters per scope",
                        bounds.maxWaitersPerScope(),
                        "as many requests wait for '" + request.claim().label() + "' as may: "
                                + bounds.maxWaitersPerScope());
            default -> tokens();
        };
    }

    private LimitExceededException leases() {
        return new LimitExceededException(
                "leases per store",
                bounds.maxLeases(),
                "the store holds " + bounds.maxLeases() + " leases and records, as many as it may");
    }

    private static LimitExceededException tokens() {
        return new LimitExceededException(
                "tokens",
                FencingToken.MAX_VALUE,
                "the namespace has used up its fencing tokens: start a new one");
    }

    private static IllegalArgumentException unknown(List<?> answer) {
        return new IllegalArgumentException("an unknown answer: " + letter(answer));
    }
}
