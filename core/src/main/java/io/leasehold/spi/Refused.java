// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.RefusalReason;

/**
 * The store looked and refused; nothing changed.
 *
 * @param reason why
 */
public record Refused(RefusalReason reason) implements Renewal, Rotation, Ending, Raising {}
