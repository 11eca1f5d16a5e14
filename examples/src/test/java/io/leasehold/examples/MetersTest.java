// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.memory.MemoryLeaseStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

final class MetersTest {

    @Test
    void aWriteUnderALockIsMeasured() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        Meters.writeMeasured(MemoryLeaseStore.create(), registry);
        assertThat(registry.get("leasehold.lease.held")
                        .tag("lock", "ledger")
                        .timer()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("fencing.validation.duration")
                        .tag("resource", "ledger")
                        .tag("operation", "write")
                        .timer()
                        .count())
                .isEqualTo(1);
    }
}
