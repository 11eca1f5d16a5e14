// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import io.leasehold.spi.Time;

import java.util.function.Consumer;

/** Passes lines on once it has taken so long that somebody may want to know. */
final class Patience implements Consumer<String> {

    private static final long LONG = 1_000_000_000;

    private final Time time;
    private final Consumer<String> lines;
    private final long begun;

    Patience(Time time, Consumer<String> lines) {
        this.time = time;
        this.lines = lines;
        this.begun = time.nanos();
    }

    @Override
    public void accept(String line) {
        if (time.nanos() - begun >= LONG) {
            lines.accept(line);
        }
    }
}
