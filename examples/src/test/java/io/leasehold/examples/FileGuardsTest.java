// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Scope;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileGuardsTest {

    @Test
    void theFileGuideWritesAndRefusesTheLateWriter(@TempDir Path directory) {
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            FileGuards guards = new FileGuards(leasehold, directory);
            Lease stale =
                    leasehold.lock(Scope.range(4711, 4096, 8192)).tryAcquire().orElseThrow();
            stale.close();

            assertThat(guards.addLine("rent")).isEqualTo("rent\n");
            assertThat(guards.addLine("water")).isEqualTo("rent\nwater\n");
            assertThat(guards.fillPage(new byte[] {1, 2, 3})).containsExactly(1, 2, 3);
            assertThat(guards.lateWriter(stale, new byte[] {9}))
                    .isEqualTo("token 1 came after token 4");
        }
    }
}
