// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.spi.LeasePage;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseView;
import io.leasehold.testkit.RealTime;
import io.leasehold.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Listings of records of the largest size, among others. */
final class LargeRecordsTest {

    private static final int LEASES = 120;
    private static final long MOST_BYTES = 1 << 20;

    @Test
    void aPageIsBoundedByTheBytesOfItsRecordsAndTheNextOneGoesOnBehindIt() {
        try (RealRedis redis = new RealRedis(RedisServer.start());
                RedisLeaseStore store = RedisLeaseStore.connect(redis.options())) {
            List<FencingToken> granted = new ArrayList<>();
            for (int i = 0; i < LEASES; i++) {
                LeaseRequest request = Leases.request("lock-" + i, Duration.ofMinutes(10));
                granted.add(Leases.granted(store.acquire(
                                i % 3 == 0
                                        ? request
                                        : request.withRecord(
                                                LeaseRecord.of(new byte[LeaseRecord.MAX_BYTES]))))
                        .token());
            }
            assertThat(listed(store)).isEqualTo(granted);
        }
    }

    private static List<FencingToken> listed(RedisLeaseStore store) {
        List<FencingToken> listed = new ArrayList<>();
        LeaseQuery query = LeaseQuery.all();
        boolean more = true;
        while (more) {
            LeasePage page = RealTime.answer(store.list(query));
            assertThat(page.leases()).isNotEmpty();
            assertThat(page.leases().stream().mapToLong(LargeRecordsTest::size).sum())
                    .isLessThanOrEqualTo(MOST_BYTES);
            page.leases().forEach(row -> listed.add(row.holding().token()));
            query = query.after(listed.get(listed.size() - 1));
            more = page.more();
        }
        return listed;
    }

    private static long size(LeaseView row) {
        return row.record().map(LeaseRecord::size).orElse(0);
    }
}
