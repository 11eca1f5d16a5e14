// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import ch.qos.logback.classic.Level;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.slf4j.LoggerFactory;

/** The server's log, on standard error. What the library logs by the JDK's means goes there too. */
final class ServeLog {

    /** Kept here lest the setting be collected. */
    private static final Logger LIBRARY_LOG = Logger.getLogger("");

    private ServeLog() {}

    /** Begins to log at this level and above. */
    static void start(String level) {
        Level chosen = Level.toLevel(level);
        ((ch.qos.logback.classic.Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME))
                .setLevel(chosen);
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
