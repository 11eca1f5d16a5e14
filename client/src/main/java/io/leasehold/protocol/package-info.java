// SPDX-License-Identifier: Apache-2.0
/**
 * How the model is written to the wire and read from it, for both ends. The messages themselves are
 * generated from {@code leasehold.proto} into {@code io.leasehold.protocol.v1}.
 */
@NullMarked
package io.leasehold.protocol;

import org.jspecify.annotations.NullMarked;
