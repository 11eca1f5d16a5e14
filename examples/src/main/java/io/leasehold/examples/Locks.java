// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.FencedLock;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LockOptions;
import io.leasehold.model.LockTimeoutException;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The snippets of docs/locks.md. */
final class Locks {

    private final Leasehold leasehold;
    private final List<String> done = new CopyOnWriteArrayList<>();

    Locks(Leasehold leasehold) {
        this.leasehold = leasehold;
    }

    List<String> run() {
        forms();
        async().join();
        options();
        scopes();
        lossKnown();
        return done;
    }

    private void forms() {
        FencedLock lock = leasehold.lock("reports/june");

        try (Lease lease = lock.acquire(Duration.ofSeconds(5))) {
            render(lease);
        } catch (LockTimeoutException e) {
            log(e.getMessage()); // lock 'reports/june' is held by api-3 for another 12.4 s
        }

        Optional<Lease> free = lock.tryAcquire();
        free.ifPresent(Lease::close);

        String report = lock.with(Duration.ofSeconds(5), lease -> render(lease));
        lock.use(Duration.ofSeconds(5), lease -> publish(lease, report));
        boolean ran = lock.tryUse(lease -> publish(lease, report));
        log("tryUse ran: " + ran);
    }

    private CompletableFuture<Void> async() {
        FencedLock lock = leasehold.lock("reports/june");

        CompletableFuture<Lease> soon = lock.acquireAsync(Duration.ofMinutes(1));
        return soon.thenAccept(lease -> {
            try (lease) {
                render(lease);
            }
        });
    }

    private void options() {
        LockOptions options = LockOptions.batchWork() // a lease of 300 s
                .withHoldAtMost(Duration.ofHours(2)) // not renewed beyond
                .withInterruptOnLoss(); // interrupt the body when the lease is lost

        FencedLock nightly = leasehold.lock(options, Scope.name("nightly-import"));
        nightly.use(Duration.ZERO, lease -> render(lease));
    }

    private void scopes() {
        FencedLock file = leasehold.lock(Scope.path("/data/orders.csv"));
        FencedLock tree = leasehold.lock(Scope.subtree("/data"));
        FencedLock head = leasehold.lock(Scope.range(4711, 0, 4096));
        FencedLock transfer = leasehold.lock(Scope.name("account/1"), Scope.name("account/2"));

        LockOptions shared = LockOptions.defaults().withMode(Mode.SHARED);
        FencedLock reader = leasehold.lock(shared, Scope.subtree("/data"));

        List.of(file, tree, head, transfer, reader)
                .forEach(lock -> lock.use(Duration.ZERO, lease -> render(lease)));
    }

    private void lossKnown() {
        FencedLock lock = leasehold.lock("reports/july");

        try (Lease lease = lock.acquire(Duration.ofSeconds(5))) {
            lease.onLost(loss -> log(loss.getMessage())); // once, at the deadline at the latest
            for (int page = 1; page <= 3; page++) {
                lease.ensureValid(); // LeaseLostException when it is not
                render(lease);
            }
        }
    }

    private String render(Lease lease) {
        log("render " + lease.scope());
        return "report under token " + lease.token();
    }

    private void publish(Lease lease, String report) {
        log("publish " + report + " at " + lease.scope());
    }

    private void log(@Nullable String line) {
        done.add(String.valueOf(line));
    }
}
