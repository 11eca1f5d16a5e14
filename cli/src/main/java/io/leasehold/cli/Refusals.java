// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.RefusalReason;

/** Why a store refused, for people. */
final class Refusals {

    private Refusals() {}

    static String words(RefusalReason reason) {
        return switch (reason) {
            case NOT_FOUND -> "there is no such lease";
            case NOT_HOLDER -> "someone else holds it now";
            case TOKEN_MISMATCH -> "the same holder has a newer grant";
            case EXPIRED -> "it ran out";
            case VERSION_MISMATCH -> "it was renewed by somebody else";
            case SCOPE_MISMATCH -> "it is on other scopes";
        };
    }
}
