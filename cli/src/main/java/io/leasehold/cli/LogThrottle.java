// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits how many lines each logger writes in a second, because clients cause many of them: nobody
 * can fill a disk, or hide what another logger says. How many were left out is told when the logger
 * speaks again. Goes by the time of the events. Thread-safe.
 */
final class LogThrottle extends Filter<ILoggingEvent> {

    /** Of each logger; there are as many loggers as there are classes that log. */
    static final int LINES_A_SECOND = 10;

    private static final int MOST = Integer.MAX_VALUE;
    private static final Logger LOG = LoggerFactory.getLogger(LogThrottle.class);

    private final Map<String, Second> seconds = new HashMap<>(); // guarded by this

    private record Second(long number, int lines, int leftOut) {

        /** After one more line. */
        Second with(long now) {
            if (now != number) {
                return new Second(now, 1, 0);
            }
            return lines < LINES_A_SECOND
                    ? new Second(number, lines + 1, 0)
                    : new Second(number, lines, leftOut == MOST ? MOST : leftOut + 1);
        }
    }

    @Override
    public FilterReply decide(ILoggingEvent event) {
        String logger = event.getLoggerName();
        if (logger.equals(LOG.getName())) {
            return FilterReply.NEUTRAL;
        }
        long now = event.getTimeStamp() / 1000;
        Second before;
        Second after;
        synchronized (this) {
            before = seconds.getOrDefault(logger, new Second(now, 0, 0));
            after = before.with(now);
            seconds.put(logger, after);
        }
        if (before.number() != now && before.leftOut() > 0) {
            LOG.warn("{} more lines of {} were left out", before.leftOut(), logger);
        }
        return after.leftOut() > 0 ? FilterReply.DENY : FilterReply.NEUTRAL;
    }
}
