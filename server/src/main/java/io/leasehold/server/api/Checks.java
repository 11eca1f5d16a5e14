// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.spi.LeaseStore;

import java.util.concurrent.CompletionStage;

/** Whether a token holds a scope, for resources that are shown a token but no lease. */
final class Checks {

    private Checks() {}

    static CompletionStage<CheckReply> check(LeaseStore store, Scope scope, FencingToken token) {
        return store.check(scope, token)
                .thenApply(check -> CheckReply.newBuilder()
                        .setStanding(
                                CheckReply.Standing.valueOf(check.standing().name()))
                        .setNewest(check.newest())
                        .build());
    }
}
