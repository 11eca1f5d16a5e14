// SPDX-License-Identifier: Apache-2.0
/** The user's side of the library, driven by virtual time over networks that fail. */
@NullMarked
package io.leasehold.runtime;

import org.jspecify.annotations.NullMarked;
