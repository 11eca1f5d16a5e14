// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/**
 * A label for people that says who holds a lease, such as {@code orders-7f9c@host/4711}. Never a
 * credential: two processes may carry the same label and neither gains anything by it.
 *
 * @param label 1 to 256 bytes of UTF-8 without control characters
 */
public record Holder(String label) {

    static final int MAX_BYTES = 256;

    public Holder {
        Text.check("holder", label, MAX_BYTES);
    }

    @Override
    public String toString() {
        return label;
    }
}
