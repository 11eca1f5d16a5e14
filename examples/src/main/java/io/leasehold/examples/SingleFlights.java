// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.Codec;
import io.leasehold.Flight;
import io.leasehold.Leasehold;
import io.leasehold.SingleFlight;
import io.leasehold.SingleFlightOptions;
import io.leasehold.model.InProgressException;
import io.leasehold.model.NotSharedException;
import io.leasehold.model.WorkFailedException;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** The snippets of docs/single-flight.md. */
final class SingleFlights {

    private final Leasehold leasehold;
    private final Function<String, String> renderer;
    private final AtomicInteger fetched = new AtomicInteger();

    SingleFlights(Leasehold leasehold, Function<String, String> renderer) {
        this.leasehold = leasehold;
        this.renderer = renderer;
    }

    SingleFlight<String> reports() {
        SingleFlight<String> reports =
                leasehold.singleFlight("reports", Codec.strings()); // keep it
        return reports;
    }

    String forms(SingleFlight<String> reports) {
        Flight<String> june = reports.get("2024-06", token -> render("2024-06"));
        String report = june.value(); // june.shared() tells whether another caller did the work

        CompletableFuture<Flight<String>> july =
                reports.getAsync("2024-07", token -> render("2024-07"));
        return report + ", " + july.join().value();
    }

    String orNot(SingleFlight<String> reports, String month) {
        try {
            return reports.get(month, Duration.ofSeconds(2), token -> render(month))
                    .value();
        } catch (InProgressException e) {
            return "not yet"; // it goes on while others wait: come back with the same key
        } catch (WorkFailedException e) {
            return "failed: " + e.errorMessage(); // here or elsewhere; the next call tries again
        } catch (NotSharedException e) {
            return (String) e.value(); // done here, but too large to be shared
        }
    }

    String kept() {
        SingleFlightOptions options = SingleFlightOptions.defaults()
                .withKeepFor(Duration.ofMinutes(5)) // later callers get the value too
                .withWait(Duration.ofSeconds(20)); // for another process at work

        SingleFlight<String> rates = leasehold.singleFlight("rates", Codec.strings(), options);
        String first = rates.get("EUR", token -> fetch("EUR")).value();
        String again = rates.get("EUR", token -> fetch("EUR")).value(); // the same
        rates.forget("EUR"); // whoever comes after this gets a newer one
        String newer = rates.get("EUR", token -> fetch("EUR")).value();
        return first + ", " + again + ", " + newer;
    }

    private String render(String month) {
        return renderer.apply(month);
    }

    private String fetch(String currency) {
        return currency + " " + fetched.incrementAndGet();
    }
}
