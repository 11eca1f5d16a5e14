// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.quorum;

import org.jspecify.annotations.NullMarked;
