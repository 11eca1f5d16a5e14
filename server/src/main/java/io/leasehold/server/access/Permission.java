// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

/** What a principal may do in a namespace. */
public enum Permission {
    /** Acquire, renew, rotate, release, complete; admit and seal at hosted guards. */
    ACQUIRE,
    /** List, get, check, watch. */
    READ,
    /** End leases of others. */
    FORCE,
    /** All of it; over all namespaces also tokens and metrics. */
    ADMIN
}
