// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

/** Looks into a journal, checks and repairs it. */
public final class JournalTools {
    private JournalTools() {}
}
