// SPDX-License-Identifier: Apache-2.0
/** Which engine the server runs on, and a store of it for each namespace. */
@NullMarked
package io.leasehold.server.engine;

import org.jspecify.annotations.NullMarked;
