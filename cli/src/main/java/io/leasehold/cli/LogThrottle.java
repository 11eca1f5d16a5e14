// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits how many lines each logger writes in a second at each level, because clients cause many of
 * them: nobody can fill a disk, or hide what another logger says, or the errors of the same one. How
 * many were left out is told a second after the first of them. Thread-safe.
 */
final class LogThrottle extends Filter<ILoggingEvent> {

    /** Of each logger at each level; there are as many loggers as there are classes that log. */
    static final int LINES_A_SECOND = 10;

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(LogThrottle.class);

    private final Time time;
    private final Map<Source, Integer> lines = new HashMap<>(); // guarded by this, as the rest
    private final Map<Source, Integer> leftOut = new HashMap<>(); // and not told yet
    private long second; // to which the lines belong
    private boolean tellsSoon; // a timer is set

    private record Source(String logger, Level level) {}

    LogThrottle(Time time) {
        this.time = time;
    }

    @Override
    public FilterReply decide(ILoggingEvent event) {
        if (event.getLoggerName().equals(LOG.getName())) {
            return FilterReply.NEUTRAL;
        }
        boolean first;
        synchronized (this) {
            if (isRoomFor(new Source(event.getLoggerName(), event.getLevel()))) {
                return FilterReply.NEUTRAL;
            }
            first = !tellsSoon;
            tellsSoon = true;
        }
        if (first) {
            Time.Timer unused = time.schedule(SECOND, this::tell);
        }
        return FilterReply.DENY;
    }

    /** Under the lock. Counts a line, as written or as left out. */
    private boolean isRoomFor(Source source) {
        long now = Math.floorDiv(time.nanos(), SECOND.toNanos());
        if (now != second) {
            second = now;
            lines.clear();
        }
        if (lines.merge(source, 1, Integer::sum) <= LINES_A_SECOND) {
            return true;
        }
        leftOut.merge(source, 1, Integer::sum);
        return false;
    }

    /** Logs how many lines were left out since the last time. */
    void tell() {
        Map<Source, Integer> untold;
        synchronized (this) {
            untold = Map.copyOf(leftOut);
            leftOut.clear();
            tellsSoon = false;
        }
        untold.forEach((source, number) -> LOG.warn(
                "{} more {} lines of {} were left out", number, source.level(), source.logger()));
    }
}
