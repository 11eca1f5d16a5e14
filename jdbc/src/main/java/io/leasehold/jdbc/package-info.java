// SPDX-License-Identifier: Apache-2.0
/**
 * The guard of database rows. {@link io.leasehold.jdbc.JdbcGuard} keeps a mark beside any data and
 * judges a token in the transaction that changes it; {@link io.leasehold.jdbc.FencedRows} keeps the
 * mark in the row itself.
 */
@NullMarked
package io.leasehold.jdbc;

import org.jspecify.annotations.NullMarked;
