// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.spi.Acquisition;
import io.leasehold.spi.LeaseView;
import io.leasehold.spi.LeaseView.State;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Holds a journal that was opened again against what its callers know. */
final class Verdict {

    private final Callers callers;
    private final World world;
    private final long now;
    private final Map<String, LeaseView> held = new HashMap<>(); // by the label of the holder
    private final Map<String, LeaseView> kept = new HashMap<>();

    private Verdict(Callers callers) {
        this.callers = callers;
        this.world = callers.world;
        this.now = world.time.nanos();
        for (LeaseView view : world.list()) {
            callers.saw(view.holding());
            if (view.state() != State.LOCK_DELAY) {
                Map<String, LeaseView> where = view.state() == State.HELD ? held : kept;
                where.put(view.holding().holder().label(), view);
            }
        }
    }

    /** Fails unless everything that was answered is so. Changes nothing. */
    static void look(Callers callers) {
        Verdict verdict = new Verdict(callers);
        for (Deal deal : callers.all()) {
            verdict.judgeLease(deal, verdict.held.get(deal.label()));
            verdict.judgeRecord(deal, verdict.kept.get(deal.label()));
        }
    }

    private void judgeLease(Deal deal, @Nullable LeaseView view) {
        if (view == null) {
            assertThat(deal.isSurelyHeld(now)).as("%s is lost", deal.label()).isFalse();
            boolean completed =
                    deal.completion.filter(done -> done.isKept(now)).isPresent() && !deal.over;
            if (completed && now < deal.heldUntil && !deal.rotationInDoubt) {
                assertThat(kept.containsKey(deal.label()) || mayBeReplaced(deal))
                        .as("the record of %s is lost with its lease", deal.label())
                        .isTrue();
            }
            return;
        }
        assertThat(deal.over || deal.refused).as("%s is back", view).isFalse();
        assertThat(view.holding().claim()).isEqualTo(deal.request.claim());
        assertThat(view.record()).isEqualTo(deal.request.terms().record());
        if (deal.grant != null && !deal.rotationInDoubt) {
            assertThat(view.holding()).isEqualTo(deal.grant.holding());
        }
        if (deal.isSurelyHeld(now)) {
            assertThat(view.remaining().toNanos())
                    .as("what is left of %s", deal.label())
                    .isGreaterThanOrEqualTo(deal.heldUntil - now);
        }
    }

    private void judgeRecord(Deal deal, @Nullable LeaseView view) {
        if (view == null) {
            assertThat(deal.isSurelyKept(now) && !mayBeReplaced(deal))
                    .as("the record of %s is lost", deal.label())
                    .isFalse();
            return;
        }
        assertThat(view.record())
                .isEqualTo(deal.completion.map(Deal.Completion::record))
                .isNotEmpty();
        assertThat(view.holding().claim()).isEqualTo(deal.request.claim());
    }

    /** Whether someone completed a lease at any of these scopes as well, or did not keep it. */
    private boolean mayBeReplaced(Deal deal) {
        return deal.completion.filter(done -> done.keepFor().isZero()).isPresent()
                || callers.all().stream()
                        .anyMatch(other -> other != deal
                                && other.completion.isPresent()
                                && other.request.claim().scopes().stream()
                                        .anyMatch(deal.request.claim().scopes()::contains));
    }

    /** Repeats what was asked before, and goes on with what is there. */
    static void repeat(Callers callers, SplittableRandom random) {
        List<Deal> deals = callers.all();
        for (int i = 0; i < Math.min(6, deals.size()); i++) {
            Deal deal = deals.get(random.nextInt(deals.size()));
            if (deal.grant == null) {
                continue;
            }
            if (deal.isRunning()) {
                repeatRunning(callers, deal, random);
            } else if (deal.over && !deal.refused) {
                repeatEnd(callers, deal);
            }
            callers.ensureSound();
        }
    }

    private static void repeatRunning(Callers callers, Deal deal, SplittableRandom random) {
        if (deal.rotationInDoubt || random.nextBoolean()) {
            callers.send(deal);
        } else {
            callers.renew(deal);
        }
    }

    private static void repeatEnd(Callers callers, Deal deal) {
        if (deal.completion.isPresent()) {
            callers.repeatCompletion(deal, deal.completion.get());
        } else if (deal.isReleased) {
            callers.release(deal);
        }
        Acquisition again = World.answer(callers.world.store.acquire(deal.request));
        assertThat(again).isInstanceOf(Acquisition.Gone.class);
    }
}
