// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.testkit;

import org.jspecify.annotations.NullMarked;
