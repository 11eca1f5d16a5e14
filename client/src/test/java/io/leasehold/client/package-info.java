// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.client;

import org.jspecify.annotations.NullMarked;
