// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

/**
 * How far a store had come.
 *
 * @param time store time
 * @param start how often it had been opened
 * @param lastToken the last token that it had drawn
 */
record Moment(long time, long start, long lastToken) {}
