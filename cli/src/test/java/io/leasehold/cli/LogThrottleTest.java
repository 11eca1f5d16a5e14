// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ch.qos.logback.core.spi.FilterReply;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class LogThrottleTest {

    private final LogThrottle throttle = new LogThrottle();

    private long passed(String logger, long atMillis, int lines) {
        return IntStream.range(0, lines)
                .filter(i -> throttle.decide(event(logger, atMillis)) == FilterReply.NEUTRAL)
                .count();
    }

    private static ILoggingEvent event(String logger, long atMillis) {
        LoggingEvent event = new LoggingEvent();
        event.setLoggerName(logger);
        event.setLevel(Level.WARN);
        event.setTimeStamp(atMillis);
        return event;
    }

    @Test
    void aLoggerWritesSoManyLinesASecondAndNoMore() {
        assertThat(passed("a", 1_000, 1_000)).isEqualTo(LogThrottle.LINES_A_SECOND);
        assertThat(passed("a", 1_999, 1_000)).isZero();
        assertThat(passed("a", 2_000, 1_000)).isEqualTo(LogThrottle.LINES_A_SECOND);
    }

    @Test
    void oneLoggerDoesNotHideAnother() {
        assertThat(passed("a", 1_000, 1_000)).isEqualTo(LogThrottle.LINES_A_SECOND);
        assertThat(passed("b", 1_000, 1)).isEqualTo(1);
    }

    @Test
    void howManyWereLeftOutIsTold() {
        Logger own = (Logger) LoggerFactory.getLogger(LogThrottle.class);
        ListAppender<ILoggingEvent> told = new ListAppender<>();
        told.start();
        own.addAppender(told);
        try {
            passed("a", 1_000, LogThrottle.LINES_A_SECOND + 7);
            passed("a", 5_000, 1);
            passed("a", 6_000, 1);
        } finally {
            own.detachAppender(told);
        }
        assertThat(told.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactly("7 more lines of a were left out");
    }
}
