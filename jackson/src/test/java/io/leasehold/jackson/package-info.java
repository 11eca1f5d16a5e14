// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.jackson;

import org.jspecify.annotations.NullMarked;
