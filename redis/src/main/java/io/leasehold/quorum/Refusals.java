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

    /**
     * What a majority refuses it for: as soon as they all give the same reason, and otherwise, when
     * no more answers will come, the one that most give. Members differ where some never had the
     * lease, and those may be the first to answer.
     */
    static @Nullable Refused decided(Votes<?> votes) {
        Refused agreed = agreed(votes);
        return agreed == null && votes.isComplete() && votes.isMajority(Refused.class)
                ? most(votes)
                : agreed;
    }

    /** The reason that most members gave; of several the one that says more than NOT_FOUND. */
    static Refused most(Votes<?> votes) {
        Map<RefusalReason, Integer> counts = new EnumMap<>(RefusalReason.class);
        for (Refused refused : votes.of(Refused.class)) {
            counts.merge(refused.reason(), 1, Integer::sum);
        }
        RefusalReason most = RefusalReason.NOT_FOUND;
        int highest = counts.getOrDefault(most, 0);
        for (Map.Entry<RefusalReason, Integer> each : counts.entrySet()) {
            boolean tie = each.getValue() == highest && most == RefusalReason.NOT_FOUND;
            if (each.getValue() > highest || tie) {
                most = each.getKey();
                highest = each.getValue();
            }
        }
        return new Refused(most);
    }
}
