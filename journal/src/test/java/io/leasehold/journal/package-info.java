// SPDX-License-Identifier: Apache-2.0
/** Tests of the journal engine. */
@NullMarked
package io.leasehold.journal;

import org.jspecify.annotations.NullMarked;
