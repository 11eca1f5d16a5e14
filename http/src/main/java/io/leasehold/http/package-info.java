// SPDX-License-Identifier: Apache-2.0
/**
 * Guards over HTTP: {@link io.leasehold.http.FencingFilter} refuses stale holders in front of an
 * endpoint, {@link io.leasehold.http.FencingHeaders} sends the token and reads the refusal.
 */
@NullMarked
package io.leasehold.http;

import org.jspecify.annotations.NullMarked;
