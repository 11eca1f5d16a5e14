// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What clients sent reaches the terminal of who reads the server's log as something to be seen. */
final class PrintableLogTest {

    private static final String HIDDEN = "a\u202eb\u200bc\u001b[8md\u2066e\ufefff";

    private final LoggerContext context = new LoggerContext();

    @BeforeEach
    void configure() throws Exception {
        JoranConfigurator configurator = new JoranConfigurator();
        configurator.setContext(context);
        configurator.doConfigure(Objects.requireNonNull(Main.class.getResource("/logback.xml")));
    }

    @AfterEach
    void stop() {
        context.stop();
    }

    @ParameterizedTest
    @CsvSource({"ROOT, stderr", "com.linecorp.armeria, line", "io.netty, line"})
    void hiddenCharactersOfMessagesAndTracesAreEscaped(String logger, String appender) {
        String line = written(logger, appender);

        assertThat(line)
                .contains("a\\u202eb\\u200bc | [8md\\u2066e\\ufefff")
                .doesNotContainPattern("[\\p{Cf}\\x00-\\x08\\x0b-\\x1f]");
        if (appender.equals("stderr")) {
            assertThat(line).contains("\njava.lang.IllegalStateException: a\\u202eb", "\n\tat ");
        } else {
            assertThat(line).hasLineCount(1);
        }
    }

    private String written(String name, String appender) {
        Logger logger = context.getLogger(name);
        ConsoleAppender<ILoggingEvent> console =
                (ConsoleAppender<ILoggingEvent>) logger.getAppender(appender);
        byte[] bytes = console.getEncoder()
                .encode(new LoggingEvent(
                        PrintableLogTest.class.getName(),
                        logger,
                        Level.WARN,
                        "from a client: {}",
                        new IllegalStateException(HIDDEN),
                        new Object[] {HIDDEN}));
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
