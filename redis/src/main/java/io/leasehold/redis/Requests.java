// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeAdmission;
import io.leasehold.spi.NodeRecord;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Round;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Writes operations for the script; {@code operations.lua} says what they take. */
final class Requests {

    private static final HexFormat HEX = HexFormat.of();
    private static final byte[] NOTHING = new byte[0];
    private static final int RENEWALS_OF_AN_ACQUIRE = 4;
    private static final byte[] RECORDS = Wire.text("records");
    private static final byte[] RECORDS_OF_A_PAGE = Wire.number(32);
    // of a renewal that names no length
    private static final long OWN_TTL = 0;
    // bytes of a lease id
    private static final int ID = 32;

    private Requests() {}

    static Operation acquire(LeaseRequest request) {
        return acquire(request, null);
    }

    /** The same, for a node of a quorum in a round. */
    static Operation acquire(LeaseRequest request, @Nullable Round round) {
        LeaseRequest.Terms terms = request.terms();
        if (isPlain(request.claim()) && terms.unlessCompletedSince().isEmpty()) {
            return plainAcquire(request, round);
        }
        byte[][] words = {
            Wire.id(request.id()),
            Wire.claim(request.claim()),
            Wire.text(request.holder().label()),
            Wire.length(terms.ttl()),
            Wire.length(terms.waitAtMost()),
            Wire.length(terms.lockDelay()),
            Wire.optional(terms.record()),
            terms.unlessCompletedSince()
                    .map(token -> Wire.number(token.value()))
                    .orElse(NOTHING),
            Wire.number(request.sender())
        };
        return Operation.of(
                'a',
                round == null
                        ? words
                        : and(words, Wire.number(round.number()), Wire.number(round.attempt())));
    }

    private static byte[][] and(byte[][] words, byte[]... more) {
        return Stream.of(words, more).flatMap(Stream::of).toArray(byte[][]::new);
    }

    /** Whether the claim is one for which there are operations in one word. */
    private static boolean isPlain(Claim claim) {
        return claim.mode() == Mode.EXCLUSIVE
                && claim.scopes().size() == 1
                && claim.scopes().get(0) instanceof Scope.Name;
    }

    private static Operation plainAcquire(LeaseRequest request, @Nullable Round round) {
        LeaseRequest.Terms terms = request.terms();
        byte[] claim = Wire.claim(request.claim());
        byte[] holder = Wire.text(request.holder().label());
        byte[] record = Wire.optional(terms.record());
        int size = 2 + ID + 4 * Double.BYTES + 2 * Short.BYTES;
        int tail = round == null ? 0 : 2 * Double.BYTES;
        ByteBuffer word = ByteBuffer.allocate(
                        size + claim.length + holder.length + record.length + tail)
                .put((byte) 'A')
                .put(Wire.id(request.id()))
                .putDouble((double) Wire.micros(terms.ttl()))
                .putDouble((double) Wire.micros(terms.waitAtMost()))
                .putDouble((double) Wire.micros(terms.lockDelay()))
                .put((byte) 0)
                .putDouble((double) (round == null ? request.sender() : round.number()));
        put(claim, word);
        put(holder, word);
        word.put(record);
        if (round != null) {
            word.putDouble((double) round.attempt()).putDouble((double) request.sender());
        }
        return Operation.inOne(word.array(), 1);
    }

    /** What is done to a lease, in one word; the rest is for a node of a quorum. */
    private static Operation plain(char letter, Grant grant, long argument, double... rest) {
        byte[] claim = Wire.claim(grant.holding().claim());
        byte[] holder = Wire.text(grant.holding().holder().label());
        int size = 1 + ID + (2 + rest.length) * Double.BYTES + Short.BYTES;
        ByteBuffer word = ByteBuffer.allocate(size + claim.length + holder.length)
                .put((byte) letter)
                .put(Wire.id(grant.id()))
                .putDouble((double) grant.token().value())
                .putDouble((double) argument);
        put(claim, word);
        word.put(holder);
        for (double number : rest) {
            word.putDouble(number);
        }
        return Operation.inOne(word.array(), 1);
    }

    /** All in one word: there are many of them. */
    static Operation renew(List<RenewalRequest> requests) {
        byte[][] claims = new byte[requests.size()][];
        byte[][] holders = new byte[requests.size()][];
        int size = 1 + Short.BYTES;
        for (int i = 0; i < claims.length; i++) {
            Holding holding = requests.get(i).grant().holding();
            claims[i] = Wire.claim(holding.claim());
            holders[i] = Wire.text(holding.holder().label());
            size += ID + 3 * Double.BYTES + 3 * Short.BYTES + claims[i].length + holders[i].length;
        }
        ByteBuffer word = ByteBuffer.allocate(size).put((byte) 'R').putShort((short) claims.length);
        for (RenewalRequest request : requests) {
            word.put(Wire.id(request.grant().id()));
        }
        for (int i = 0; i < claims.length; i++) {
            RenewalRequest request = requests.get(i);
            word.putDouble((double) request.grant().token().value())
                    .putDouble((double) request.ttl().map(Wire::micros).orElse(OWN_TTL))
                    .putDouble((double) request.expectedVersion().orElse(0))
                    .putShort((short) (Short.BYTES + claims[i].length));
            put(claims[i], word);
        }
        for (byte[] holder : holders) {
            put(holder, word);
        }
        return Operation.inOne(word.array(), 1 + claims.length / RENEWALS_OF_AN_ACQUIRE);
    }

    private static void put(byte[] bytes, ByteBuffer word) {
        word.putShort((short) bytes.length).put(bytes);
    }

    static Operation withdraw(LeaseRequest request) {
        return Operation.of('w', Wire.id(request.id()), Wire.claim(request.claim()));
    }

    static Operation withdrawUnlessUsed(LeaseRequest request) {
        return Operation.of(
                'q',
                Wire.id(request.id()),
                Wire.number(request.sender()),
                Wire.claim(request.claim()));
    }

    static Operation rotate(Grant grant) {
        return Operation.of('t', words(grant));
    }

    static Operation release(Grant grant) {
        return isPlain(grant.holding().claim())
                ? plain('E', grant, 0)
                : Operation.of('e', words(grant));
    }

    static Operation forceRelease(Scope scope, FencingToken token) {
        return Operation.of('f', Wire.scope(scope), Wire.number(token.value()));
    }

    static Operation complete(Grant grant, LeaseRecord record, Duration keepFor) {
        byte[][] words = words(grant);
        return Operation.of(
                'c',
                words[0],
                words[1],
                words[2],
                words[3],
                Wire.record(record),
                Wire.length(keepFor));
    }

    private static byte[][] words(Grant grant) {
        return new byte[][] {
            Wire.id(grant.id()),
            Wire.claim(grant.holding().claim()),
            Wire.text(grant.holding().holder().label()),
            Wire.number(grant.token().value())
        };
    }

    // ---- for a node of a quorum

    static Operation standing(long generation) {
        return Operation.of('n', Wire.text(HEX.toHexDigits(generation)));
    }

    static Operation admit(NodeAdmission admission) {
        return Operation.of(
                'd',
                Wire.text(HEX.toHexDigits(admission.generation())),
                Wire.membership(admission.membership()),
                Wire.number(admission.floor()));
    }

    static Operation rotate(Grant grant, Round round) {
        return Operation.of(
                't', and(words(grant), Wire.number(round.number()), Wire.number(round.attempt())));
    }

    static Operation raise(Grant grant, FencingToken to, Round round) {
        if (isPlain(grant.holding().claim())) {
            return plain('U', grant, to.value(), (double) round.number(), (double) round.attempt());
        }
        return Operation.of(
                'u',
                and(
                        words(grant),
                        Wire.number(to.value()),
                        Wire.number(round.number()),
                        Wire.number(round.attempt())));
    }

    static Operation restore(LeaseRequest request, FencingToken token) {
        LeaseRequest.Terms terms = request.terms();
        return Operation.of(
                'v',
                Wire.id(request.id()),
                Wire.claim(request.claim()),
                Wire.text(request.holder().label()),
                Wire.length(terms.ttl()),
                Wire.length(terms.lockDelay()),
                Wire.optional(terms.record()),
                Wire.number(token.value()));
    }

    static Operation retract(LeaseRequest request, Round round) {
        return Operation.of(
                'k',
                Wire.id(request.id()),
                Wire.number(round.number()),
                Wire.number(round.attempt()));
    }

    static Operation records(String cursor) {
        return Operation.of('p', RECORDS, Wire.text(cursor), RECORDS_OF_A_PAGE);
    }

    static Operation record(Scope scope) {
        return Operation.of('g', Wire.scope(scope));
    }

    static Operation keep(List<NodeRecord> records) {
        List<byte[]> words = new ArrayList<>();
        for (NodeRecord each : records) {
            words.add(Wire.scope(each.scope()));
            words.add(Wire.claim(each.holding().claim()));
            words.add(Wire.text(each.holding().holder().label()));
            words.add(Wire.number(each.holding().token().value()));
            words.add(Wire.length(each.age()));
            words.add(Wire.length(each.keptFor()));
            words.add(Wire.record(each.record()));
        }
        return Operation.of('y', 1 + records.size(), words.toArray(byte[][]::new));
    }
}
