// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.FencingToken;
import io.leasehold.spi.Time;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Every grant of a run, of all clients, with when it was asked for and when the answer was there. */
final class Grants {

    private record Entry(long askedAt, long answeredAt, long token) {}

    private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();

    static long now() {
        return Time.system().nanos();
    }

    void granted(long askedAt, FencingToken token) {
        entries.add(new Entry(askedAt, now(), token.value()));
    }

    int size() {
        return entries.size();
    }

    /** A grant that was asked for after another was there has a higher token, and none is twice. */
    void assertTokensIncrease() {
        List<Entry> asked = new ArrayList<>(entries);
        List<Entry> answered = new ArrayList<>(asked);
        asked.sort(Comparator.comparingLong(Entry::askedAt));
        answered.sort(Comparator.comparingLong(Entry::answeredAt));
        assertThat(asked.stream().map(Entry::token).distinct()).hasSize(asked.size());
        int seen = 0;
        long highest = 0;
        for (Entry entry : asked) {
            while (answered.get(seen).answeredAt < entry.askedAt) {
                highest = Math.max(highest, answered.get(seen).token);
                seen++;
            }
            assertThat(entry.token).isGreaterThan(highest);
        }
    }
}
