// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.pattern.CompositeConverter;

import io.leasehold.cli.json.Printable;

/**
 * The word {@code printable} of the patterns in logback.xml, which makes an instance: in the server's
 * log are messages and traces of libraries with what clients sent, and somebody reads it on a
 * terminal. Thread-safe.
 */
public final class PrintableLog extends CompositeConverter<ILoggingEvent> {

    @Override
    protected String transform(ILoggingEvent event, String text) {
        return Printable.lines(text);
    }
}
