// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.Election;
import io.leasehold.ElectionOptions;
import io.leasehold.Leader;
import io.leasehold.Leasehold;
import io.leasehold.Observation;
import io.leasehold.Term;
import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/** The snippets of docs/election.md. */
final class Elections {

    private final Leasehold leasehold;
    private final Guard<List<String>> guard = MemoryGuard.around("ledger", new ArrayList<>());

    /** What happened, in order. */
    final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    Elections(Leasehold leasehold) {
        this.leasehold = leasehold;
    }

    Election campaign() {
        Election election = leasehold.election("billing", term -> {
            while (term.isValid()) {
                settle(term.token()); // the next batch, written under the term's number
            }
        }); // returning resigns
        return election;
    }

    Election publishing() {
        ElectionOptions options = ElectionOptions.defaults() // a lease of 10 s
                .withTtl(Duration.ofSeconds(5)) // the next leader within 5 s of a death
                .withRecord(LeaseRecord.of("10.0.0.7:8080")) // for all to read
                .withInterruptOnLoss(); // interrupt the body when the term ends first

        Election election = leasehold.election("shard/7", options, term -> {
            term.onLost(loss -> log(loss.getMessage())); // once, at the deadline at the latest
            serve(term);
        });
        return election;
    }

    Observation lookOn() {
        Election shard = leasehold.election("shard/7"); // looks on, does not campaign

        Optional<String> address = shard.leader().flatMap(Leader::record).map(LeaseRecord::text);
        Observation observation = shard.observe(leader -> route(leader)); // now and when it changes
        log("asked: " + address.orElse("nobody"));
        return observation;
    }

    private void settle(FencingToken token) {
        String line = "settled in term " + token;
        guard.write(token, ledger -> {
            if (!ledger.contains(line)) {
                ledger.add(line);
                log(line);
            }
        });
    }

    private void serve(Term term) throws InterruptedException {
        log("serving in term " + term.token());
        new CountDownLatch(1).await(); // until interrupted
    }

    private void route(Optional<Leader> leader) {
        log("route to " + leader.flatMap(Leader::record).map(LeaseRecord::text).orElse("nobody"));
    }

    private void log(@Nullable String line) {
        events.add(String.valueOf(line));
    }
}
