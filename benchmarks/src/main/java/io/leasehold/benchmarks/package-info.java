// SPDX-License-Identifier: Apache-2.0
/**
 * What the engines and the client runtime cost, measured beside limits and peers in the same run. Start it
 * with {@code benchmarks/run}; figures of different runs or machines can't be compared, their ratios can.
 */
@NullMarked
package io.leasehold.benchmarks;

import org.jspecify.annotations.NullMarked;
