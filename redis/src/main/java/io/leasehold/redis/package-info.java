// SPDX-License-Identifier: Apache-2.0
/**
 * The engine on Redis or Valkey: {@link io.leasehold.redis.RedisLeaseStore}. The rules are restated
 * in Lua and run on the server, one script call for each operation.
 */
@NullMarked
package io.leasehold.redis;

import org.jspecify.annotations.NullMarked;
