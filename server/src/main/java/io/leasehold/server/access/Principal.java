// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

/** Who is asking. Thread-safe. */
public interface Principal {

    /** The name that the audit log tells and that limits are counted by. */
    String name();

    /** Whether nobody is asked for a name, so that this is everybody together. */
    default boolean isAnyone() {
        return false;
    }

    /** Whether this is permitted in the namespace. Nothing is unless it was said to be. */
    boolean may(Permission permission, String namespace);

    /** Whether this is permitted in all namespaces, those that are yet to be included. */
    boolean mayEverywhere(Permission permission);
}
