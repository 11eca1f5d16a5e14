// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.http;

import org.jspecify.annotations.NullMarked;
