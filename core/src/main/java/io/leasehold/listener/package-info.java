// SPDX-License-Identifier: Apache-2.0
/** What this process sees of its locks, for meters, traces and a user's own code. */
@NullMarked
package io.leasehold.listener;

import org.jspecify.annotations.NullMarked;
