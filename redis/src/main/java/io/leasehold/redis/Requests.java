// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import io.leasehold.model.LeaseRecord;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.RenewalRequest;

import java.time.Duration;
import java.util.List;

/** Writes operations for the script; {@code operations.lua} says what they take. */
final class Requests {

    private static final byte[] NOTHING = new byte[0];
    private static final int WORDS_OF_A_RENEWAL = 6;
    private static final int RENEWALS_OF_AN_ACQUIRE = 4;

    private Requests() {}

    static Operation acquire(LeaseRequest request) {
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
                        .orElse(NOTHING));
    }

    static Operation renew(List<RenewalRequest> requests) {
        byte[][] words = new byte[requests.size() * WORDS_OF_A_RENEWAL][];
        int at = 0;
        for (RenewalRequest request : requests) {
            for (byte[] word : words(request.grant())) {
                words[at++] = word;
            }
            words[at++] = Wire.length(request.ttl());
            words[at++] = request.expectedVersion().isPresent()
                    ? Wire.number(request.expectedVersion().getAsLong())
                    : NOTHING;
        }
        return Operation.of('r', 1 + requests.size() / RENEWALS_OF_AN_ACQUIRE, words);
    }

    static Operation rotate(Grant grant) {
        return Operation.of('t', words(grant));
    }

    static Operation release(Grant grant) {
        return Operation.of('e', words(grant));
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
}
