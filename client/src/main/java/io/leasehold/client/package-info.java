// SPDX-License-Identifier: Apache-2.0
/** The engine that is a remote server: {@code RemoteLeaseStore}, and how the wire is written. */
@NullMarked
package io.leasehold.client;

import org.jspecify.annotations.NullMarked;
