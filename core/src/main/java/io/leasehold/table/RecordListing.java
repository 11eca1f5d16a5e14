// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.spi.NodeRecord;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Lists records in the order of their tokens, a part at a time; the cursor is the last token. */
final class RecordListing {

    /** How many tokens a part has; each may have left a record at every scope of a claim. */
    private static final int TOKENS = 32;

    private RecordListing() {}

    static NodeRecord.Page of(Stripes stripes, long after, long now) {
        TreeMap<Long, List<KeptRecord>> byToken = new TreeMap<>();
        for (Stripe stripe : stripes.touchedFrom(LeaseTable.ALL)) {
            stripe.ends.forEach(end -> {
                if (end instanceof KeptRecord kept && kept.holding.token().value() > after) {
                    byToken.computeIfAbsent(kept.holding.token().value(), none -> new ArrayList<>())
                            .add(kept);
                    if (byToken.size() > TOKENS + 1) {
                        byToken.pollLastEntry();
                    }
                }
            });
        }
        boolean more = byToken.size() > TOKENS;
        if (more) {
            byToken.pollLastEntry();
        }
        List<NodeRecord> records = new ArrayList<>();
        byToken.values().forEach(same -> same.forEach(kept -> records.add(kept.copy(now))));
        return new NodeRecord.Page(
                records, more ? Optional.of(Long.toString(byToken.lastKey())) : Optional.empty());
    }
}
