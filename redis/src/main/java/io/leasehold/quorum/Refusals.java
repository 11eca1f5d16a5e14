// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.RefusalReason;
import io.leasehold.spi.Refused;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes one refusal of several. */
final class Refusals {

    private Refusals() {}

    /** What a majority refuses it for, if they all give the same reason. */
    static @Nullable Refused agreed(Votes<?> votes) {
        Refused most = most(votes);
        return votes.count(most::equals) >= votes.majority() ? most : null;
    }

    /** The reason that most members gave. */
    static Refused most(Votes<?> votes) {
        Map<RefusalReason, Integer> counts = new EnumMap<>(RefusalReason.class);
        RefusalReason most = RefusalReason.NOT_FOUND;
        for (Refused refused : votes.of(Refused.class)) {
            int count = counts.merge(refused.reason(), 1, Integer::sum);
            if (count > counts.getOrDefault(most, 0) || counts.getOrDefault(most, 0) == 0) {
                most = refused.reason();
            }
        }
        return new Refused(most);
    }
}
