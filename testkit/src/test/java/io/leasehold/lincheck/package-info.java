// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.lincheck;

import org.jspecify.annotations.NullMarked;
