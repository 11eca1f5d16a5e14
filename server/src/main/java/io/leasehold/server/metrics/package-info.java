// SPDX-License-Identifier: Apache-2.0
/** What the server counts and measures of its own work. */
@NullMarked
package io.leasehold.server.metrics;

import org.jspecify.annotations.NullMarked;
