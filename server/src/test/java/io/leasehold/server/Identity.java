// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.TokenFile;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** Who asks in the matrix, with what they may do; the requests are about the namespace team-a. */
enum Identity {
    NONE(""),
    WRONG_NAMESPACE("team-b=acquire,read,force team-a-2=admin"),
    READ_ONLY("team-a=read"),
    HOLDER("team-a=acquire,read"),
    FORCER("team-a=read,force"),
    RIGHT("team-a=acquire,read,force"),
    ADMIN("*=admin");

    /** As in the token file. */
    private final String rules;

    Identity(String rules) {
        this.rules = rules;
    }

    /** Makes a token for each but the first. */
    static Map<Identity, String> tokens(TokenFile file) {
        Map<Identity, String> tokens = new EnumMap<>(Identity.class);
        for (Identity identity : values()) {
            if (identity != NONE) {
                tokens.put(
                        identity,
                        file.create(
                                identity.name(),
                                Arrays.stream(identity.rules.split(" ", -1))
                                        .map(AccessRule::parse)
                                        .toList()));
            }
        }
        return tokens;
    }

    /** What this identity is answered to a call of this kind. */
    Verdict expected(CallKind kind) {
        if (this == NONE) {
            return Verdict.UNAUTHENTICATED;
        }
        return switch (kind) {
            case ANY -> Verdict.SERVED;
            case CHANGES -> servedIf(this == HOLDER || this == RIGHT || this == ADMIN);
            case FORCES -> servedIf(this == FORCER || this == RIGHT || this == ADMIN);
            case READS -> this == WRONG_NAMESPACE ? Verdict.EMPTY : Verdict.SERVED;
            case ADMINISTERS -> servedIf(this == ADMIN);
        };
    }

    private static Verdict servedIf(boolean permitted) {
        return permitted ? Verdict.SERVED : Verdict.DENIED;
    }

    /** What a call does, said once more than in the server, so that both must agree. */
    enum CallKind {
        ANY,
        CHANGES,
        READS,
        FORCES,
        ADMINISTERS;

        static CallKind of(String method) {
            return switch (method) {
                case "Acquire",
                        "Withdraw",
                        "Renew",
                        "Rotate",
                        "Release",
                        "Complete",
                        "Admit",
                        "Seal" -> CHANGES;
                case "List", "Check", "Watch" -> READS;
                case "ForceRelease" -> FORCES;
                case "Info", "Session" -> ANY;
                case "CreateToken", "ListTokens", "RevokeToken" -> ADMINISTERS;
                default ->
                    throw new AssertionError("say what " + method + " does, and who may call it");
            };
        }
    }

    enum Verdict {
        UNAUTHENTICATED,
        DENIED,
        EMPTY,
        SERVED
    }
}
