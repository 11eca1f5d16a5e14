// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.LeaseRecord;

import java.util.Optional;

/**
 * Who leads, as everybody may see it.
 *
 * @param holder its label
 * @param token the number of its term
 * @param record what it published, such as its address
 */
public record Leader(Holder holder, FencingToken token, Optional<LeaseRecord> record) {}
