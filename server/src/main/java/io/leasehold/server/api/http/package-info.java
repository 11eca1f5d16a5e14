// SPDX-License-Identifier: Apache-2.0
/**
 * JSON over HTTP, from the same definitions as gRPC: routes out of the annotations of the protocol,
 * bodies by protobuf's JSON mapping, errors as problem+json, the watch as server-sent events.
 */
@NullMarked
package io.leasehold.server.api.http;

import org.jspecify.annotations.NullMarked;
