// SPDX-License-Identifier: Apache-2.0
package io.leasehold.protocol;

import io.leasehold.model.RefusalReason;

/** What the reasons of refusals mean to people. */
final class Reasons {

    private Reasons() {}

    static String forPeople(RefusalReason reason) {
        return switch (reason) {
            case NOT_FOUND -> "there is no such lease: it was released, or never granted";
            case NOT_HOLDER -> "someone else holds the scope now";
            case TOKEN_MISMATCH -> "the same holder has a newer grant of the scope";
            case EXPIRED -> "the lease has expired: acquire again, which gives a higher token";
            case VERSION_MISMATCH -> "the lease was renewed since the expected version";
            case SCOPE_MISMATCH ->
                "the lease is on other scopes, or its id belongs to another request";
        };
    }
}
