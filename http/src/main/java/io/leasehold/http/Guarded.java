// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import io.leasehold.guard.Guard;
import io.leasehold.model.Scope;

/**
 * Which guard stands before a request, and which part of its resource the request is to change.
 *
 * @param guard asked before the request goes on
 * @param target the guard's resource or a part of it
 */
public record Guarded(Guard<?> guard, Scope target) {

    /** The request changes the guard's resource as a whole. */
    public static Guarded by(Guard<?> guard) {
        return new Guarded(guard, guard.resource());
    }

    /** The request changes one part: one path of a subtree, some bytes of an inode. */
    public static Guarded by(Guard<?> guard, Scope target) {
        return new Guarded(guard, target);
    }
}
