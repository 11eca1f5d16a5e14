// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

/** What a {@link SimulatedDisk} can do instead of what it was asked to do. */
public enum DiskFault {

    /** The operation fails and has no effect. A force that fails loses what it was to force. */
    INPUT_OUTPUT_ERROR,

    /** A write, a truncation or the making of a file fails and has no effect. */
    NO_SPACE,

    /** A write fails after its first half. */
    SHORT_WRITE,

    /** The power goes in the middle of the operation: see {@link SimulatedDisk#crash()}. */
    POWER_LOSS,

    /** The process is killed after the operation: see {@link SimulatedDisk#kill()}. */
    KILL
}
