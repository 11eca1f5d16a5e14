// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

/** What can happen to a message on its way between a client and its store. */
public enum Fault {
    /** The request was swallowed: nothing happened, and no answer comes. */
    REQUEST_LOST,
    /** The answer was swallowed: it happened, and the client never learns of it. */
    REPLY_LOST,
    /** The request arrived twice. */
    REQUEST_DUPLICATED,
    /** The request arrived late. */
    REQUEST_DELAYED,
    /** The answer arrived late. */
    REPLY_DELAYED,
    /** The request was turned away: nothing happened, and the client is told. */
    UNAVAILABLE,
    /** The connection broke after it happened, and the client is told that it may have. */
    OUTCOME_UNKNOWN,
    /** A message was swallowed because the client was cut off. */
    CUT_OFF
}
