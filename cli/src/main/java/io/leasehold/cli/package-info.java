// SPDX-License-Identifier: Apache-2.0
/** The {@code leasehold} command. */
@NullMarked
package io.leasehold.cli;

import org.jspecify.annotations.NullMarked;
