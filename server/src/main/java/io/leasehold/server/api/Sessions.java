// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.server.access.Principal;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open sessions of a server, whose clients are told when it is about to stop. Bounds how many
 * each principal has; whoever is "anyone" is not counted. Thread-safe.
 */
public final class Sessions {

    private final int most;
    private final Set<Session> open = ConcurrentHashMap.newKeySet();
    /** How many each principal has that has some. */
    private final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

    private volatile boolean stopping;

    /** None yet; at most so many of each principal. */
    public Sessions(int most) {
        this.most = most;
    }

    /**
     * Begins with a session.
     *
     * @throws CallFailedException LIMIT_EXCEEDED if it is one too many
     */
    void add(Session session) {
        count(session.principal());
        open.add(session);
        if (stopping) {
            session.tellOfStop();
        }
    }

    private void count(Principal principal) {
        counts.compute(principal.name(), (name, known) -> {
            int before = known == null ? 0 : known;
            if (!principal.isAnyone() && before >= most) {
                throw Failures.limit(
                        "sessions per principal",
                        most,
                        name + " has " + before
                                + " sessions open, which is the most; close some of them, or give"
                                + " its clients principals of their own");
            }
            return before + 1;
        });
    }

    void remove(Session session) {
        if (open.remove(session)) {
            counts.computeIfPresent(
                    session.principal().name(), (name, before) -> before == 1 ? null : before - 1);
        }
    }

    /** Tells all clients, and those that still come, that the server is about to stop. */
    public void tellOfStop() {
        stopping = true;
        open.forEach(Session::tellOfStop);
    }
}
