// SPDX-License-Identifier: Apache-2.0
@NullMarked
package io.leasehold.server.api.http;

import org.jspecify.annotations.NullMarked;
