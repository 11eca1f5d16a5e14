// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

/**
 * What makes the engine safe, each to be left out by a test that shows that it is needed.
 *
 * @param writeBack a token counts only when a majority has taken it over
 * @param quarantine a node that forgot is kept out
 */
record Safeguards(boolean writeBack, boolean quarantine) {

    static final Safeguards ALL = new Safeguards(true, true);
}
