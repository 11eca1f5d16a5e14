// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.Idempotency;
import io.leasehold.IdempotencyOptions;
import io.leasehold.IdempotentCall;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.Outcome;
import io.leasehold.Work;
import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.IdempotencyConflictException;
import io.leasehold.model.InProgressException;
import io.leasehold.model.Scope;
import io.leasehold.model.WorkFailedException;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The snippets of docs/idempotency.md. */
final class IdempotentCalls {

    /** What a client asks for; it repeats the id when it repeats the request. */
    record Payment(String id, String from, String to, long cents) {}

    /** The bank says no, and will say so again. */
    static final class DeclinedException extends RuntimeException {

        private static final long serialVersionUID = 1;

        DeclinedException(String message) {
            super(message);
        }
    }

    private final Leasehold leasehold;
    private final Idempotency<String> payments;

    /** Receipts by payment, in a resource that checks tokens. */
    final Map<String, String> ledger = new HashMap<>();

    final Guard<Map<String, String>> guard = MemoryGuard.around(Scope.subtree("/ledger"), ledger);

    IdempotentCalls(Leasehold leasehold) {
        this.leasehold = leasehold;
        this.payments = leasehold.idempotency("payments", Codec.strings(), Duration.ofDays(1));
    }

    Outcome<String> pay(Payment payment) {
        Digest digest = Digest.builder()
                .text(payment.from())
                .text(payment.to())
                .number(payment.cents())
                .build();

        Outcome<String> paid = payments.once(payment.id(), digest, token -> charge(payment));
        return paid;
    }

    String charge(Payment payment) {
        Scope account = Scope.path("/ledger/" + payment.from()); // a mark for each account
        try (Lease lease = leasehold.lock(account).acquire(Duration.ofSeconds(5))) {
            return guard.change(
                    lease.admission(account),
                    ledger -> ledger.computeIfAbsent(
                            payment.id(), // a worker that died may have been here
                            id -> "receipt for " + payment.cents() + " cents"));
        }
    }

    int respond(Payment payment) {
        try {
            return pay(payment).replayed() ? 200 : 201;
        } catch (IdempotencyConflictException e) {
            return 422; // the key was used for another payment; this one did not run
        } catch (InProgressException e) {
            return 409; // it runs elsewhere: repeat later, with the same key
        }
    }

    String remembering(Payment payment) {
        IdempotencyOptions options = IdempotencyOptions.keeping(Duration.ofDays(7))
                .withWait(Duration.ZERO) // running elsewhere: say so at once
                .remembering(DeclinedException.class); // a failure that is an answer

        Idempotency<String> cards = leasehold.idempotency("cards", Codec.strings(), options);
        IdempotentCall call = IdempotentCall.of(payment.id(), Digest.of(payment.from()))
                .keptFor(Duration.ofDays(30)); // this one for longer

        CompletableFuture<Outcome<String>> first = cards.onceAsync(call, token -> decline(payment));
        String thrown = first.handle((outcome, error) -> error.getClass().getSimpleName())
                .join();
        try {
            return cards.once(call, token -> "must not run").value();
        } catch (WorkFailedException e) {
            return thrown + ", then " + e.errorMessage();
        }
    }

    private static String decline(Payment payment) {
        throw new DeclinedException("declined: " + payment.from());
    }

    boolean remind(String id, String address, List<String> outbox) {
        Idempotency<Codec.Nothing> mails =
                leasehold.idempotency("mails", Codec.nothing(), Duration.ofDays(7));

        return mails.once(id, Digest.of(address), Work.effect(token -> outbox.add(address)))
                .replayed();
    }
}
