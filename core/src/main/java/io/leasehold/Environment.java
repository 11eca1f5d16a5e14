// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.spi.Time;

import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * What a {@link Leasehold} takes from outside, so that a test or a simulation can own all of it.
 *
 * @param time clocks, and the timers that renew
 * @param callbacks where listeners and dependents of futures run: anything but the thread of the
 *     timers, unless they are known to be quick
 * @param random the source of lease ids and jitter; it must be cryptographically strong wherever
 *     ids protect anything
 */
public record Environment(Time time, Executor callbacks, RandomGenerator random) {}
