// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.server.access.Principal;

import java.util.concurrent.CompletionStage;

/**
 * Who makes a call, and over what.
 *
 * @param principal who is asking
 * @param gone completes when the connection, stream or request that the answer would go to is no
 *     more, and fails once the answer was delivered; an acquire whose answer reaches nobody is taken
 *     back after a grace, unless it is repeated, and a large answer takes room until it was sent
 * @param call by which the call is found in the log
 */
public record Caller(Principal principal, CompletionStage<Void> gone, CallId call) {

    /** Of a call that belongs to no request. */
    public Caller(Principal principal, CompletionStage<Void> gone) {
        this(principal, gone, CallId.NONE);
    }
}
