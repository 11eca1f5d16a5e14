// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.grpc.Status;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Connects to another server while the current one stops. Tries the other addresses in turn, with
 * pauses, until one answers that does not stop itself and has the same store, or nobody wants it any
 * more. Used by the store's thread only.
 */
final class Handover {

    private final RemoteOptions options;
    private final Channels channels;
    private final Loop loop;
    private final Connection.Events events;
    private final BiFunction<Connection, InfoReply, Optional<LeaseholdException>> whyForeign;
    private Optional<Search> search = Optional.empty();

    /**
     * One that searches nothing yet.
     *
     * @param events told of the connection that was found, and of its end
     * @param whyForeign why a server that answered is not one of the same store; empty if it is
     */
    Handover(
            RemoteOptions options,
            Channels channels,
            Loop loop,
            Connection.Events events,
            BiFunction<Connection, InfoReply, Optional<LeaseholdException>> whyForeign) {
        this.options = options;
        this.channels = channels;
        this.loop = loop;
        this.events = events;
        this.whyForeign = whyForeign;
    }

    /** Begins the search, unless there is one, or no other server. */
    void begin(RemoteAddress.Server stopping) {
        List<RemoteAddress.Server> others = options.address().servers().stream()
                .filter(server -> !server.equals(stopping))
                .toList();
        if (search.isEmpty() && !others.isEmpty()) {
            Search begun = new Search(others);
            search = Optional.of(begun);
            begun.connect();
        }
    }

    /** Ends the search. Idempotent. */
    void end() {
        search.ifPresent(Search::close);
        search = Optional.empty();
    }

    /** One search. A connection that it found tells all further events to the store. */
    private final class Search implements Connection.Events {

        private final List<RemoteAddress.Server> others;
        private final Pauses pauses;
        private @Nullable Connection attempt;
        private Time.@Nullable Timer timer;

        Search(List<RemoteAddress.Server> others) {
            this.others = others;
            this.pauses = new Pauses(others.size(), options.random());
        }

        /** Reads the certificates and connects; with the last good ones if that takes too long. */
        void connect() {
            later(options.patience(), this::connectWithCertificates);
            channels.readCertificates(this::connectWithCertificates);
        }

        private void connectWithCertificates() {
            if (attempt != null || !isCurrent()) {
                return;
            }
            RemoteAddress.Server server = others.get(pauses.failures() % others.size());
            Connection made = Connection.open(server, channels.open(server), loop, this);
            attempt = made;
            later(
                    options.patience(),
                    () -> made.broken(Status.UNAVAILABLE.withDescription(
                            "no answer within " + options.patience())));
            made.greet(options.address().namespace());
        }

        private boolean isCurrent() {
            return search.filter(current -> current == this).isPresent();
        }

        private void later(Duration pause, Runnable task) {
            cancelTimer();
            timer = options.time()
                    .schedule(
                            pause,
                            () -> loop.run(() -> {
                                if (isCurrent()) {
                                    task.run();
                                }
                            }));
        }

        private void cancelTimer() {
            if (timer != null) {
                timer.cancel();
                timer = null;
            }
        }

        @Override
        public void up(Connection from, InfoReply info) {
            if (info.getStopping()) {
                down(from, new StoreUnavailableException(from.server() + " is about to stop"));
                return;
            }
            Optional<LeaseholdException> foreign = whyForeign.apply(from, info);
            if (foreign.isPresent()) {
                down(from, foreign.get());
                return;
            }
            attempt = null;
            end();
            events.up(from, info);
        }

        @Override
        public void down(Connection from, LeaseholdException why) {
            if (from != attempt) { // it had been found
                events.down(from, why);
                return;
            }
            attempt = null;
            from.close();
            pauses.failed();
            later(pauses.next(), this::connect);
        }

        void close() {
            cancelTimer();
            if (attempt != null) {
                attempt.close();
                attempt = null;
            }
        }
    }
}
