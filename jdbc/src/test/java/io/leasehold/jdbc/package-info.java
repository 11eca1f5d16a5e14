// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.jdbc;

import org.jspecify.annotations.NullMarked;
