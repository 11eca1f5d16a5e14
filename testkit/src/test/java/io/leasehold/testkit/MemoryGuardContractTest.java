// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.Scope;
import java.util.Arrays;
import org.junit.jupiter.api.Nested;

/** The guard contract on the guard of objects in memory. */
final class MemoryGuardContractTest extends GuardContract<StringBuilder> {

    private final StringBuilder text = new StringBuilder();

    @Override
    protected Guard<StringBuilder> open() {
        return MemoryGuard.around(RESOURCE, text);
    }

    @Override
    protected Guard<StringBuilder> reopen(Guard<StringBuilder> guard) {
        return guard;
    }

    @Override
    protected void put(StringBuilder resource, String value) {
        resource.setLength(0);
        resource.append(value);
    }

    @Override
    protected String read(Guard<StringBuilder> guard) {
        return text.toString();
    }

    @Nested
    final class OfRanges extends RangeGuardContract<byte[]> {

        private final byte[] bytes = new byte[1 << 20];

        @Override
        protected Guard<byte[]> open() {
            return MemoryGuard.around(Scope.inode(INODE), bytes);
        }

        @Override
        protected Guard<byte[]> reopen(Guard<byte[]> guard) {
            return guard;
        }

        @Override
        protected void fill(byte[] resource, long start, long end, byte with) {
            Arrays.fill(resource, (int) start, (int) end, with);
        }

        @Override
        protected byte[] read(Guard<byte[]> guard, int length) {
            return Arrays.copyOf(bytes, length);
        }
    }
}
