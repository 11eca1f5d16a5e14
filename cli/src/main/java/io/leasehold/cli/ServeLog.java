// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import io.leasehold.spi.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.slf4j.LoggerFactory;

/**
 * The server's log, on standard error. What the library logs by the JDK's means goes there too.
 *
 * <p>Lines are written by a thread of their own, so that no event loop waits for a terminal or a
 * pipe, and only so many a second of each logger and level; lines that find no room are dropped. The audit log is exempt.
 */
final class ServeLog {

    /** Kept here lest the setting be collected. */
    private static final Logger LIBRARY_LOG = Logger.getLogger("");

    private static final String AUDIT = "leasehold.audit";
    private static final int LINES_THAT_WAIT = 1_024;
    private static final LogThrottle THROTTLE = new LogThrottle(Time.system());

    private ServeLog() {}

    /** Begins to log at this level and above. */
    static void start(String level) {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME).setLevel(Level.toLevel(level));
        context.getLoggerList().stream()
                .filter(logger -> !logger.getName().equals(AUDIT))
                .forEach(ServeLog::bound);
        for (Handler handler : LIBRARY_LOG.getHandlers()) {
            LIBRARY_LOG.removeHandler(handler);
        }
        LIBRARY_LOG.addHandler(new PassingOn());
        java.util.logging.Level known = switch (level) {
            case "error" -> java.util.logging.Level.SEVERE;
            case "warn" -> java.util.logging.Level.WARNING;
            case "info" -> java.util.logging.Level.INFO;
            default -> java.util.logging.Level.FINE;
        };
        LIBRARY_LOG.setLevel(known);
        Logger.getLogger("io.leasehold").setLevel(known);
    }

    private static void bound(ch.qos.logback.classic.Logger logger) {
        List<Appender<ILoggingEvent>> direct = new ArrayList<>();
        logger.iteratorForAppenders().forEachRemaining(direct::add);
        for (Appender<ILoggingEvent> appender : direct) {
            logger.detachAppender(appender);
            logger.addAppender(bounded(appender));
        }
    }

    private static AsyncAppender bounded(Appender<ILoggingEvent> appender) {
        AsyncAppender bounded = new AsyncAppender();
        bounded.setContext(appender.getContext());
        bounded.setQueueSize(LINES_THAT_WAIT);
        bounded.setDiscardingThreshold(0);
        bounded.setNeverBlock(true);
        bounded.addFilter(THROTTLE);
        bounded.addAppender(appender);
        bounded.start();
        return bounded;
    }

    /** Writes what waits, and how much was left out; nothing is logged any more. */
    static void end() {
        THROTTLE.tell();
        ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
    }

    /** Hands each message on to SLF4J. */
    private static final class PassingOn extends Handler {

        private final SimpleFormatter formatter = new SimpleFormatter();

        @Override
        public void publish(LogRecord record) {
            String name = record.getLoggerName() == null ? "java" : record.getLoggerName();
            org.slf4j.Logger logger = LoggerFactory.getLogger(name);
            int level = record.getLevel().intValue();
            org.slf4j.event.Level passed = level >= java.util.logging.Level.SEVERE.intValue()
                    ? org.slf4j.event.Level.ERROR
                    : level >= java.util.logging.Level.WARNING.intValue()
                            ? org.slf4j.event.Level.WARN
                            : level >= java.util.logging.Level.INFO.intValue()
                                    ? org.slf4j.event.Level.INFO
                                    : org.slf4j.event.Level.DEBUG;
            logger.makeLoggingEventBuilder(passed)
                    .setCause(record.getThrown())
                    .log(formatter.formatMessage(record));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
