// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.FencingToken;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * One line of the demo's timeline.
 *
 * @param run which of the two runs
 * @param at the simulated time since the start of the run
 * @param actor who acted
 * @param token the token that the actor has or used
 * @param text what happened, for people
 * @param kind how to show it
 */
record DemoStep(
        Run run, Duration at, String actor, Optional<FencingToken> token, String text, Kind kind) {

    /** The two halves of the demo. */
    enum Run {
        UNGUARDED,
        GUARDED
    }

    /** What a line tells. */
    enum Kind {
        STEP,
        TROUBLE,
        RESCUE,
        RESULT
    }

    /** One JSON object. Tokens are strings, as everywhere. */
    String json() {
        return String.format(
                Locale.ROOT,
                "{\"run\":\"%s\",\"atMillis\":%d,\"actor\":\"%s\",\"token\":%s,\"kind\":\"%s\",\"text\":\"%s\"}",
                run.name().toLowerCase(Locale.ROOT),
                at.toMillis(),
                actor,
                token.map(value -> "\"" + value + "\"").orElse("null"),
                kind.name().toLowerCase(Locale.ROOT),
                text.replace("\\", "\\\\").replace("\"", "\\\""));
    }
}
