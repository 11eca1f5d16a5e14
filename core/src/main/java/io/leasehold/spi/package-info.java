// SPDX-License-Identifier: Apache-2.0
/**
 * For authors of engines: {@link io.leasehold.spi.LeaseStore} with what an implementer owes, the
 * requests it takes, the outcomes it answers with, and what is injected: {@link
 * io.leasehold.spi.Time} and {@link io.leasehold.spi.Disk}.
 */
@NullMarked
package io.leasehold.spi;

import org.jspecify.annotations.NullMarked;
