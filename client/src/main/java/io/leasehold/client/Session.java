// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.Status;
import io.leasehold.protocol.v1.Answer;
import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.protocol.v1.SessionReply;
import io.leasehold.protocol.v1.SessionRequest;
import io.leasehold.spi.Time;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * One stream to a server, with many calls under way on it. Each has a number that its answer
 * carries. Used by the store's thread only.
 */
final class Session {

    private static final int MESSAGES_AHEAD = 8;

    /** Who is told of what happens on it, on the store's thread. */
    interface Events {

        /** There is room for more. */
        void ready();

        /** An answer came, and this was its question. */
        void answered(Question<?> question, Answer answer);

        /** The server grants nothing more, and will end. */
        void stopping();

        /** It is over. */
        void ended(Status status);
    }

    private final ClientCall<SessionRequest, SessionReply> call;
    private final Loop loop;
    private final Time time;
    private final Events events;
    private final Map<Long, Question<?>> open = new HashMap<>();
    private long lastId;
    private long heardAt;
    private boolean over;

    private Session(Channel channel, Loop loop, Time time, Events events) {
        this.call = channel.newCall(LeasesGrpc.getSessionMethod(), CallOptions.DEFAULT);
        this.loop = loop;
        this.time = time;
        this.events = events;
        this.heardAt = time.nanos();
    }

    static Session start(Channel channel, Loop loop, Time time, Events events) {
        Session session = new Session(channel, loop, time, events);
        session.call.start(session.new Incoming(), new Metadata());
        session.call.request(MESSAGES_AHEAD);
        return session;
    }

    boolean isReady() {
        return !over && call.isReady();
    }

    /** Sends all of them in one message. From here on nobody knows what became of them. */
    void send(List<Question<?>> batch) {
        long now = time.nanos();
        SessionRequest.Builder message = SessionRequest.newBuilder();
        for (Question<?> question : batch) {
            long id = ++lastId;
            open.put(id, question);
            message.addCalls(question.sent(id, now));
        }
        try {
            call.sendMessage(message.build());
        } catch (RuntimeException | Error e) {
            end(Status.UNAVAILABLE
                    .withDescription("the stream can't be written")
                    .withCause(e));
        }
    }

    /** Takes those that have waited for an answer for too long. */
    List<Question<?>> takeOverdue(long now) {
        List<Question<?>> overdue = new ArrayList<>();
        for (Iterator<Question<?>> all = open.values().iterator(); all.hasNext(); ) {
            Question<?> question = all.next();
            if (question.isOverdue(now)) {
                all.remove();
                overdue.add(question);
            }
        }
        return overdue;
    }

    /** Takes all that have no answer. */
    List<Question<?>> takeAll() {
        List<Question<?>> all = new ArrayList<>(open.values());
        open.clear();
        return all;
    }

    boolean isAnswered() {
        return open.isEmpty();
    }

    /** Whether anything was heard from the server since the question was sent. */
    boolean heardSince(Question<?> question) {
        return heardAt - question.sentAt() > 0;
    }

    void cancel() {
        over = true;
        call.cancel("no longer needed", null);
    }

    private void end(Status status) {
        if (!over) {
            over = true;
            call.cancel("broken", null);
            events.ended(status);
        }
    }

    /** What gRPC tells. It does so on the store's thread, but for some ends. */
    private final class Incoming extends ClientCall.Listener<SessionReply> {

        @Override
        public void onReady() {
            loop.run(events::ready);
        }

        @Override
        public void onMessage(SessionReply message) {
            heardAt = time.nanos();
            if (message.getStopping()) {
                events.stopping();
            }
            for (Answer answer : message.getAnswersList()) {
                Question<?> question = open.remove(answer.getId());
                // those that were given up have none
                if (question != null) {
                    events.answered(question, answer);
                }
            }
            call.request(1);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            loop.run(() -> end(status));
        }
    }
}
