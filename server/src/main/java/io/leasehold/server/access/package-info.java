// SPDX-License-Identifier: Apache-2.0
/** Who is asking, what they may do, and what is written down of it. */
@NullMarked
package io.leasehold.server.access;

import org.jspecify.annotations.NullMarked;
