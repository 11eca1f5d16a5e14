// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open sessions of a server, whose clients are told when it is about to stop. Thread-safe. */
public final class Sessions {

    private final Set<Session> open = ConcurrentHashMap.newKeySet();
    private volatile boolean stopping;

    void add(Session session) {
        open.add(session);
        if (stopping) {
            session.tellOfStop();
        }
    }

    void remove(Session session) {
        open.remove(session);
    }

    /** Tells all clients, and those that still come, that the server is about to stop. */
    public void tellOfStop() {
        stopping = true;
        open.forEach(Session::tellOfStop);
    }
}
