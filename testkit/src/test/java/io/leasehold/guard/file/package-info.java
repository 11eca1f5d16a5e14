// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.guard.file;

import org.jspecify.annotations.NullMarked;
