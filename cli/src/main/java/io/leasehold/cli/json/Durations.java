// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.json;

import java.math.BigDecimal;
import java.time.Duration;

/** Durations as protobuf's JSON has them: seconds, with up to nine decimals and an s behind. */
public final class Durations {

    private static final int MAX_LENGTH = 40;
    private static final BigDecimal MAX_SECONDS = BigDecimal.valueOf(315_576_000_000L);

    private Durations() {}

    public static String write(Duration duration) {
        return BigDecimal.valueOf(duration.getSeconds())
                        .add(BigDecimal.valueOf(duration.getNano(), 9))
                        .stripTrailingZeros()
                        .toPlainString()
                + "s";
    }

    public static Duration parse(String text) {
        if (!text.endsWith("s") || text.length() > MAX_LENGTH) {
            throw new JsonException("a duration is not of the form 0.250s");
        }
        try {
            BigDecimal seconds = new BigDecimal(text.substring(0, text.length() - 1));
            if (seconds.scale() > 9 || seconds.abs().compareTo(MAX_SECONDS) > 0) {
                throw new JsonException("a duration beyond all bounds");
            }
            return Duration.ofSeconds(
                    seconds.longValue(),
                    seconds.remainder(BigDecimal.ONE).movePointRight(9).longValue());
        } catch (NumberFormatException e) {
            throw new JsonException("a duration is not of the form 0.250s");
        }
    }
}
