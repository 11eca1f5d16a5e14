// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.Scope;
import io.leasehold.testkit.GuardContract;
import io.leasehold.testkit.RangeGuardContract;
import io.leasehold.testkit.TestLength;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

/** The guard contract through the filter and the client's headers, over a real connection. */
final class GuardOverHttpContractTest extends GuardContract<StringBuilder> {

    private final StringBuilder text = new StringBuilder();
    private @Nullable GuardOverHttp<?> opened;

    @AfterEach
    void close() {
        Optional.ofNullable(opened).ifPresent(GuardOverHttp::close);
    }

    @Override
    protected Guard<StringBuilder> open() {
        GuardOverHttp<StringBuilder> guard =
                GuardOverHttp.to(StringBuilder.class, MemoryGuard.around(RESOURCE, text));
        opened = guard;
        return guard;
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

    /** Each is a request. */
    @Override
    protected int writes() {
        return TestLength.of(1_000, 20_000);
    }

    @Nested
    final class OfRanges extends RangeGuardContract<byte[]> {

        private final byte[] bytes = new byte[1024];

        @Override
        protected Guard<byte[]> open() {
            GuardOverHttp<byte[]> guard =
                    GuardOverHttp.to(byte[].class, MemoryGuard.around(Scope.inode(INODE), bytes));
            opened = guard;
            return guard;
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

        @Override
        protected int writes() {
            return TestLength.of(500, 5_000);
        }
    }
}
