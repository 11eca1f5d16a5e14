// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.origins;

import org.jspecify.annotations.NullMarked;
