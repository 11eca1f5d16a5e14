// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import ch.qos.logback.core.spi.FilterReply;
import io.leasehold.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** How many lines are written and which are only counted, in virtual time. */
final class LogThrottleTest {

    private final VirtualTime time = VirtualTime.create();
    private final LogThrottle throttle = new LogThrottle(time);
    private final Logger own = (Logger) LoggerFactory.getLogger(LogThrottle.class);
    private final ListAppender<ILoggingEvent> told = new ListAppender<>();

    @BeforeEach
    void listen() {
        told.start();
        own.addAppender(told);
    }

    @AfterEach
    void listenNoMore() {
        own.detachAppender(told);
    }

    private long passed(String logger, Level level, int lines) {
        return IntStream.range(0, lines)
                .filter(i -> throttle.decide(event(logger, level)) == FilterReply.NEUTRAL)
                .count();
    }

    private long passed(String logger, int lines) {
        return passed(logger, Level.WARN, lines);
    }

    private static ILoggingEvent event(String logger, Level level) {
        LoggingEvent event = new LoggingEvent();
        event.setLoggerName(logger);
        event.setLevel(level);
        return event;
    }

    private List<String> told() {
        return told.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void aLoggerWritesSoManyLinesASecondAndNoMore() {
        assertThat(passed("a", 1_000)).isEqualTo(LogThrottle.LINES_A_SECOND);
        time.advance(Duration.ofMillis(999));
        assertThat(passed("a", 1_000)).isZero();
        time.advance(Duration.ofMillis(1));
        assertThat(passed("a", 1_000)).isEqualTo(LogThrottle.LINES_A_SECOND);
    }

    @Test
    void oneLoggerDoesNotHideAnother() {
        assertThat(passed("a", 1_000)).isEqualTo(LogThrottle.LINES_A_SECOND);
        assertThat(passed("b", 1)).isEqualTo(1);
    }

    @Test
    void theRefusalsOfALoggerDoNotHideItsErrors() {
        assertThat(passed("a", Level.WARN, 1_000)).isEqualTo(LogThrottle.LINES_A_SECOND);
        assertThat(passed("a", Level.ERROR, 1)).isEqualTo(1);
    }

    @Test
    void howManyWereLeftOutIsToldASecondLaterThoughTheLoggerSaysNothingMore() {
        passed("a", LogThrottle.LINES_A_SECOND + 7);
        passed("a", Level.ERROR, LogThrottle.LINES_A_SECOND + 1);
        assertThat(told()).isEmpty();
        time.advance(Duration.ofSeconds(1));
        assertThat(told())
                .containsExactlyInAnyOrder(
                        "7 more WARN lines of a were left out",
                        "1 more ERROR lines of a were left out");
    }

    @Test
    void howManyWereLeftOutIsToldOnceEachSecondHoweverManyThereAre() {
        for (int second = 1; second <= 3; second++) {
            passed("a", 1_000);
            time.advance(Duration.ofSeconds(1));
            assertThat(told()).hasSize(second);
        }
        time.advance(Duration.ofMinutes(1));
        assertThat(told()).hasSize(3).containsOnly("990 more WARN lines of a were left out");
    }

    @Test
    void atTheEndTheRestIsToldAtOnceAndNotAgain() {
        passed("a", LogThrottle.LINES_A_SECOND + 7);
        throttle.tell();
        assertThat(told()).containsExactly("7 more WARN lines of a were left out");
        time.advance(Duration.ofSeconds(5));
        throttle.tell();
        assertThat(told()).hasSize(1);
    }
}
