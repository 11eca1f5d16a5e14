// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;
import io.leasehold.model.Holding;
import io.leasehold.spi.LeaseEvent;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Events for people and for programs. */
final class EventText {

    private EventText() {}

    /** What the event is about; nothing if events are missing. */
    static Optional<Holding> holding(LeaseEvent event) {
        if (event instanceof LeaseEvent.Changed changed) {
            return Optional.of(changed.holding());
        }
        return event instanceof LeaseEvent.RenewalRefused refused
                ? Optional.of(refused.holding())
                : Optional.empty();
    }

    static String name(LeaseEvent event) {
        if (event instanceof LeaseEvent.Changed changed) {
            return JournalJson.lower(changed.change());
        }
        return event instanceof LeaseEvent.RenewalRefused ? "renewal-refused" : "resync";
    }

    /** Bad is what a person should look at. */
    static Output.Style style(LeaseEvent event) {
        return switch (name(event)) {
            case "granted" -> Output.Style.GOOD;
            case "expired", "renewal-refused", "resync" -> Output.Style.BAD;
            default -> Output.Style.PLAIN;
        };
    }

    static String line(LeaseEvent event) {
        return holding(event)
                .map(holding -> String.format(
                        Locale.ROOT,
                        "%-15s  %s  token %s  %s%s",
                        name(event),
                        LeaseText.scopes(holding.claim()),
                        holding.token(),
                        holding.holder(),
                        why(event)))
                .orElse(
                        "resync           events are missing here; 'leasehold list' tells the state");
    }

    private static String why(LeaseEvent event) {
        return event instanceof LeaseEvent.RenewalRefused refused
                ? "  " + Refusals.words(refused.reason())
                : "";
    }

    static Map<String, Object> json(LeaseEvent event) {
        Map<String, Object> json = Json.object("event", name(event));
        holding(event).ifPresent(holding -> json.putAll(LeaseText.json(holding)));
        if (event instanceof LeaseEvent.RenewalRefused refused) {
            json.put("reason", refused.reason());
        }
        return json;
    }
}
