// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.redis.guard;

import org.jspecify.annotations.NullMarked;
