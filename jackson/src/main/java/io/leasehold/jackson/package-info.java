// SPDX-License-Identifier: Apache-2.0
/** Values as JSON: {@link io.leasehold.jackson.JacksonCodec} is a codec for any type. */
@NullMarked
package io.leasehold.jackson;

import org.jspecify.annotations.NullMarked;
