// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.redis;

import org.jspecify.annotations.NullMarked;
