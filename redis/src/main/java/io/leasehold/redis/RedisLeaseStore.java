// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

/** The engine on Redis or Valkey. */
public final class RedisLeaseStore {
    private RedisLeaseStore() {}
}
