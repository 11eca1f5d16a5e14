// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import io.leasehold.guard.Admission;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.ScopeMismatchException;

import java.util.List;
import java.util.Optional;

/** What the headers of a request say to the guard in front of it. */
sealed interface Reading {

    /** A token, of a lease that covers the target as far as is known. */
    record Presented(Admission admission) implements Reading {}

    /** Nothing. */
    record Silent() implements Reading {}

    /** Something that no guard needs to be asked about. */
    record Wrong(Problem problem) implements Reading {}

    /** Reads all lines of either header, in their order. */
    static Reading of(List<String> tokens, List<String> scopes, Guarded guarded) {
        if (tokens.isEmpty() && scopes.isEmpty()) {
            return new Silent();
        }
        if (tokens.isEmpty()) {
            // a lease without a token: something broke
            return new Wrong(Problem.missing(guarded));
        }
        if (tokens.stream().distinct().count() > 1) {
            return malformedToken("the request has several, and they differ");
        }
        FencingToken token;
        try {
            token = FencingToken.parse(tokens.get(0));
        } catch (IllegalArgumentException e) {
            return malformedToken(
                    "not a number from 1 to " + FencingToken.MAX_VALUE + " in plain digits");
        }
        return scopes.isEmpty()
                ? new Presented(Admission.of(token, guarded.target()))
                : withScopes(token, scopes, guarded);
    }

    private static Reading withScopes(FencingToken token, List<String> scopes, Guarded guarded) {
        Optional<Claim> leased = Optional.empty();
        try {
            leased = Optional.of(ScopeHeader.read(scopes));
            return new Presented(new Admission(token, leased.get(), guarded.target()));
        } catch (ScopeMismatchException e) {
            return new Wrong(Problem.notLeased(guarded, leased.orElseThrow(), e));
        } catch (IllegalArgumentException e) {
            return new Wrong(Problem.malformed(
                    Problem.Reason.MALFORMED_SCOPE,
                    "the header " + FencingHeaders.SCOPE + ": " + e.getMessage()));
        }
    }

    private static Reading malformedToken(String why) {
        return new Wrong(Problem.malformed(
                Problem.Reason.MALFORMED_TOKEN, "the header " + FencingHeaders.TOKEN + ": " + why));
    }
}
