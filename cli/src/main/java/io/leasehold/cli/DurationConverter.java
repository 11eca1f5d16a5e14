// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.spi.Limits;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations such as {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h} and {@code 1d}. */
final class DurationConverter implements ITypeConverter<Duration> {

    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    @Override
    public Duration convert(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "'" + text + "' is no time; write it as 500ms, 30s, 5m, 2h or 1d");
        }
        long count = Long.parseLong(matcher.group(1));
        Duration duration = Duration.ofMillis(count * millisIn(matcher.group(2)));
        if (duration.compareTo(Limits.MAX_KEEP_FOR) > 0) {
            throw new TypeConversionException("'" + text + "' is longer than "
                    + Limits.MAX_KEEP_FOR.toDays() + " days, which is the most");
        }
        return duration;
    }

    private static long millisIn(String unit) {
        return switch (unit) {
            case "ms" -> 1;
            case "s" -> 1000;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            default -> 86_400_000;
        };
    }

    /** A duration for people. */
    static String text(Duration duration) {
        long seconds = duration.toSeconds();
        if (seconds < 60) {
            return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
        }
        if (seconds < 3600) {
            return seconds / 60 + " min " + seconds % 60 + " s";
        }
        long hours = seconds / 3600;
        return hours < 48
                ? hours + " h " + seconds / 60 % 60 + " min"
                : hours / 24 + " d " + hours % 24 + " h";
    }
}
