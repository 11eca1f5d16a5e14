// SPDX-License-Identifier: Apache-2.0
/** The operations, and the ways in that lead to them: gRPC, the session, JSON over HTTP. */
@NullMarked
package io.leasehold.server.api;

import org.jspecify.annotations.NullMarked;
