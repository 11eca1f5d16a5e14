// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

/** Whether a server takes new work, and why not. */
public enum Health {
    /** A lease would be granted. */
    SERVING,
    /** A stop has begun. */
    STOPPING,
    /** The store failed, or did not answer in time. */
    STORE_UNAVAILABLE
}
