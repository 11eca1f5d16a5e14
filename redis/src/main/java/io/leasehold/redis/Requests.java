// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.NodeAdmission;
import io.leasehold.spi.RenewalRequest;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

/** Writes operations for the script; {@code operations.lua} says what they take. */
final class Requests {

    private static final HexFormat HEX = HexFormat.of();
    private static final byte[] NOTHING = new byte[0];
    private static final int RENEWALS_OF_AN_ACQUIRE = 4;

    private Requests() {}

    static Operation acquire(LeaseRequest request) {
        return acquire(request, 0);
    }

    /** The same, in a round of a quorum. */
    static Operation acquire(LeaseRequest request, long round) {
        LeaseRequest.Terms terms = request.terms();
        return Operation.of(
                'a',
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
                Wire.number(round));
    }

    static Operation renew(List<RenewalRequest> requests) {
        byte[][] words = new byte[requests.size()][];
        for (int i = 0; i < words.length; i++) {
            words[i] = word(requests.get(i));
        }
        return Operation.of('r', 1 + words.length / RENEWALS_OF_AN_ACQUIRE, words);
    }

    /** A whole renewal in one word: there are many of them. */
    private static byte[] word(RenewalRequest request) {
        Grant grant = request.grant();
        byte[] id = Wire.id(grant.id());
        byte[] claim = Wire.claim(grant.holding().claim());
        byte[] holder = Wire.text(grant.holding().holder().label());
        return ByteBuffer.allocate(
                        id.length + 3 * Double.BYTES + Short.BYTES + claim.length + holder.length)
                .put(id)
                .putDouble((double) grant.token().value())
                .putDouble((double) Wire.micros(request.ttl()))
                .putDouble((double) request.expectedVersion().orElse(0))
                .putShort((short) claim.length)
                .put(claim)
                .put(holder)
                .array();
    }

    static Operation rotate(Grant grant) {
        return Operation.of('t', words(grant));
    }

    static Operation release(Grant grant) {
        return Operation.of('e', words(grant));
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

    static Operation raise(Grant grant, FencingToken to) {
        byte[][] words = words(grant);
        return Operation.of('u', words[0], words[1], words[2], words[3], Wire.number(to.value()));
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

    static Operation retract(LeaseRequest request, long round) {
        return Operation.of('k', Wire.id(request.id()), Wire.number(round));
    }
}
