// SPDX-License-Identifier: Apache-2.0
/** Data structures shared by the table and the client runtime. Not exported. */
@NullMarked
package io.leasehold.internal;

import org.jspecify.annotations.NullMarked;
