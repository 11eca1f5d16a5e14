// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** What is logged while it is open. */
public final class LogForTests extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final Logger root = context().getLogger(Logger.ROOT_LOGGER_NAME);
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

    private LogForTests() {}

    /** While another thread starts SLF4J, that gives out substitutes. */
    private static LoggerContext context() {
        Await.until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }

    public static LogForTests open() {
        LogForTests log = new LogForTests();
        log.setContext(log.root.getLoggerContext());
        log.start();
        log.root.addAppender(log);
        return log;
    }

    @Override
    protected void append(ILoggingEvent event) {
        events.add(event);
    }

    /** As it would be written, traces included. */
    public String text() {
        return events.stream()
                .map(event -> event.getFormattedMessage() + "\n"
                        + ThrowableProxyUtil.asString(event.getThrowableProxy()))
                .collect(Collectors.joining("\n"));
    }

    @Override
    public void close() {
        root.detachAppender(this);
        stop();
    }
}
