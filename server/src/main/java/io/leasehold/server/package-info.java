// SPDX-License-Identifier: Apache-2.0
/** The server: leases over gRPC and JSON on one port. */
@NullMarked
package io.leasehold.server;

import org.jspecify.annotations.NullMarked;
