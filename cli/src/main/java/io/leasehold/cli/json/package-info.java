// SPDX-License-Identifier: Apache-2.0
/** A little JSON: a library that reads it would cost more at start-up than all that the command does. */
@NullMarked
package io.leasehold.cli.json;

import org.jspecify.annotations.NullMarked;
