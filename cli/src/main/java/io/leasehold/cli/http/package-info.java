// SPDX-License-Identifier: Apache-2.0
/** A server's JSON over HTTP, and the store that is such a server. */
@NullMarked
package io.leasehold.cli.http;

import org.jspecify.annotations.NullMarked;
