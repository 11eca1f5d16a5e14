// SPDX-License-Identifier: Apache-2.0
/**
 * For owners of data in Redis or Valkey: {@link io.leasehold.redis.guard.RedisGuard} keeps the mark
 * beside the data and changes both in one script.
 */
@NullMarked
package io.leasehold.redis.guard;

import org.jspecify.annotations.NullMarked;
