// SPDX-License-Identifier: Apache-2.0
/**
 * The engine on a quorum of independent stores: {@link io.leasehold.quorum.QuorumLeaseStore}. It
 * knows its nodes as {@link io.leasehold.spi.QuorumNode} only.
 */
@NullMarked
package io.leasehold.quorum;

import org.jspecify.annotations.NullMarked;
