// SPDX-License-Identifier: Apache-2.0
package io.leasehold.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.Lease;
import io.leasehold.LockOptions;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A client of the {@link Simulation}: does one thing at a time, and counts what it did. */
final class Simulated {

    /** A lease that was obtained. */
    record Held(Claim claim, Lease lease) {}

    final Node node;
    final List<Held> held = new ArrayList<>();
    final List<Held> everHeld = new ArrayList<>();
    final Map<String, Long> counts = new HashMap<>();
    private final Simulation simulation;
    private final List<CompletableFuture<Lease>> pending = new ArrayList<>();

    Simulated(Simulation simulation, Node node) {
        this.simulation = simulation;
        this.node = node;
    }

    void act() {
        switch (simulation.random.nextInt(24)) {
            case 0, 1, 2, 3 -> acquire();
            case 4, 5 -> release();
            case 6 -> cancel();
            case 7 -> rotate();
            case 8 -> togglePause();
            case 9 -> cutOff(true);
            case 10, 11 -> cutOff(false);
            default -> write();
        }
    }

    private void acquire() {
        if (pending.size() + held.size() > 1) {
            return;
        }
        Claim claim = simulation.randomClaim();
        LockOptions options = LockOptions.defaults().withTtl(Simulation.TTL).withMode(claim.mode());
        Duration wait =
                Duration.ofMillis(simulation.random.nextInt((int) Simulation.MAX_WAIT.toMillis()));
        CompletableFuture<Lease> future = node.leasehold
                .lock(options, claim.scopes().toArray(Scope[]::new))
                .acquireAsync(wait);
        pending.add(future);
        future.whenComplete((lease, error) -> {
            pending.removeIf(other -> other == future);
            if (error == null) {
                obtained(new Held(claim, lease));
            } else {
                count(error.getClass().getSimpleName());
            }
        });
    }

    private void obtained(Held obtained) {
        count("obtained");
        obtained.lease().onLost(loss -> {
            count("lost");
            if (obtained.lease().isValid()) {
                simulation.violations.add(obtained.lease() + " is valid although lost");
            }
        });
        if (obtained.lease().isValid()) {
            simulation.assertNewest(obtained);
        }
        held.add(obtained);
        everHeld.add(obtained);
        simulation.check();
    }

    /** Writes with every lease it has, valid or not, as a holder would that does not look. */
    private void write() {
        for (Held mine : held) {
            if (mine.claim().mode() == Mode.SHARED || mine.claim().covers(Scope.name("a"))) {
                continue; // one resource, under the path
            }
            boolean valid = mine.lease().isValid();
            FencingToken token = mine.lease().token();
            try {
                simulation.guard.write(token, tokens -> tokens.add(token.value()));
                count(valid ? "written" : "written late");
            } catch (StaleTokenException e) {
                assertThat(valid)
                        .as("a valid holder was refused: %s", e.getMessage())
                        .isFalse();
                count("refused by the guard");
            }
        }
    }

    private void release() {
        if (!held.isEmpty()) {
            Node.closeWithoutWaiting(held.remove(0).lease());
        }
    }

    private void cancel() {
        List.copyOf(pending).forEach(future -> future.cancel(true));
    }

    private void rotate() {
        for (Held mine : held) {
            Thread.currentThread().interrupt(); // don't wait: no time would pass
            try {
                FencingToken before = mine.lease().token();
                assertThat(mine.lease().rotate()).isGreaterThan(before);
                count("rotated");
            } catch (LeaseholdException e) {
                count("not rotated");
            } finally {
                boolean unused = Thread.interrupted();
            }
        }
    }

    private void togglePause() {
        if (simulation.random.nextBoolean()) {
            node.process.pause();
            count("paused");
        } else {
            node.process.resume();
        }
    }

    private void cutOff(boolean cut) {
        node.network.cutOff(cut);
    }

    void heal() {
        node.heal();
        node.process.resume();
    }

    /** Ends what is held; whatever was waiting has had its answer by now. */
    void closeAll() {
        assertThat(pending).as("acquires without an answer").isEmpty();
        held.forEach(mine -> mine.lease().close());
        held.clear();
    }

    private void count(String what) {
        counts.merge(what, 1L, Long::sum);
    }
}
