// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.cli.json.Json;
import io.leasehold.cli.json.JsonException;
import io.leasehold.cli.json.JsonObject;
import io.leasehold.cli.json.JsonReader;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The events of a namespace, as server-sent events. When the connection breaks it is taken up again
 * behind the last event, until closed; what was missed meanwhile is told as a resync. Used once.
 */
public final class ServerWatch implements AutoCloseable {

    /** The server sends something at least this often. */
    private static final Duration SILENCE = Duration.ofMinutes(2);

    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final int MAX_DOUBLINGS = 6;

    /**
     * What a watcher is told.
     *
     * @param json as it came
     * @param event what it says; nothing for a mark that is no event
     */
    public record Told(JsonObject json, Optional<LeaseEvent> event) {}

    private final ServerApi api;
    private final String namespace;
    private final String overlapping;
    private final CountDownLatch closed = new CountDownLatch(1);
    private String cursor = "";
    private int failures;
    private volatile @Nullable HttpCall call;
    private Consumer<LeaseholdException> onInterruption = failure -> {};

    /** Watches what overlaps the scope, everything if that is empty. */
    public ServerWatch(ServerApi api, String namespace, String overlapping) {
        this.api = api;
        this.namespace = namespace;
        this.overlapping = overlapping;
    }

    /** Tells whenever the connection is lost, before it is taken up again. */
    public ServerWatch onInterruption(Consumer<LeaseholdException> listener) {
        onInterruption = listener;
        return this;
    }

    /**
     * Tells the listener of every event, on this thread, until closed.
     *
     * @throws ProblemException if the server refuses to tell
     */
    public void run(Consumer<Told> listener) {
        while (!isClosed()) {
            try {
                listen(listener);
            } catch (LeaseholdException e) {
                if (!isClosed()) {
                    onInterruption.accept(e);
                    pause(FIRST_PAUSE_MILLIS << Math.min(failures++, MAX_DOUBLINGS));
                }
            }
        }
    }

    private void listen(Consumer<Told> listener) {
        HttpCall begun = api.get(
                "/v1/watch",
                Json.object("namespace", namespace, "overlapping", overlapping, "after", cursor),
                SILENCE);
        call = begun;
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(begun.stream(), UTF_8))) {
            StringBuilder data = new StringBuilder();
            for (String line = lines.readLine();
                    line != null && !isClosed();
                    line = lines.readLine()) {
                if (line.startsWith("data:")) {
                    data.append(line, line.startsWith("data: ") ? 6 : 5, line.length());
                } else if (line.isEmpty() && data.length() > 0) {
                    tell(data.toString(), listener);
                    data.setLength(0);
                }
            }
            throw new StoreUnavailableException("the server ended the watch");
        } catch (IOException e) {
            throw new StoreUnavailableException("the watch broke: " + ServerApi.words(e), e);
        }
    }

    private void tell(String data, Consumer<Told> listener) {
        Told told;
        try {
            JsonObject json = JsonReader.object(data);
            told = new Told(json, FromJson.event(json));
        } catch (JsonException | IllegalArgumentException e) {
            throw new StoreUnavailableException("an event can't be read: " + e.getMessage(), e);
        }
        failures = 0;
        if (told.json().has("cursor")) {
            cursor = told.json().text("cursor");
        }
        listener.accept(told);
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    private void pause(long millis) {
        try {
            boolean unused = closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        HttpCall last = call;
        if (last != null) {
            last.abandon();
        }
    }
}
