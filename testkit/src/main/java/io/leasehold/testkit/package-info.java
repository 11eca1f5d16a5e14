// SPDX-License-Identifier: Apache-2.0
/**
 * For tests of engines and of code that uses leases: the contract that every engine extends ({@link
 * io.leasehold.testkit.LeaseStoreContract}), the comparison with the reference rules ({@link
 * io.leasehold.testkit.DifferentialDriver}), time that only moves when told ({@link
 * io.leasehold.testkit.VirtualTime}), a network that fails on demand ({@link
 * io.leasehold.testkit.FaultyStore}), and a disk that crashes on demand ({@link
 * io.leasehold.testkit.SimulatedDisk}).
 */
@NullMarked
package io.leasehold.testkit;

import org.jspecify.annotations.NullMarked;
