// SPDX-License-Identifier: Apache-2.0
/**
 * For tests of engines and of code that uses leases: the contract that every engine extends ({@link
 * io.leasehold.testkit.LeaseStoreContract}), the comparison with the reference rules ({@link
 * io.leasehold.testkit.DifferentialDriver}), time that only moves when told ({@link
 * io.leasehold.testkit.VirtualTime}), a network that fails on demand ({@link
 * io.leasehold.testkit.FaultyStore}, or {@link io.leasehold.testkit.TcpProxy} between real ones), a
 * disk that crashes on demand ({@link io.leasehold.testkit.SimulatedDisk}), and real Redis servers
 * that do ({@link io.leasehold.testkit.RedisServer}).
 */
@NullMarked
package io.leasehold.testkit;

import org.jspecify.annotations.NullMarked;
