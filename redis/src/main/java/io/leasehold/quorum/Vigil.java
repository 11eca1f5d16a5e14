// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.spi.NodeStanding;
import io.leasehold.spi.Time;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * While a request waits at a member, looks now and then whether that is still alive, and has the
 * request repeated: it, or its answer, may have been lost. Everything but the construction happens
 * in the mailbox of the request.
 */
final class Vigil {

    private static final int LOOKS_BEFORE_REPEAT = 4;

    private final Context context;
    private final Mailbox mailbox;
    private final Member member;
    private final Callers callers;
    private final Runnable repeat;
    private final Runnable giveUp;
    private int looks;
    private boolean over;
    private Time.@Nullable Timer timer;

    Vigil(
            Context context,
            Mailbox mailbox,
            Member member,
            Callers callers,
            Runnable repeat,
            Runnable giveUp) {
        this.context = context;
        this.mailbox = mailbox;
        this.member = member;
        this.callers = callers;
        this.repeat = repeat;
        this.giveUp = giveUp;
    }

    /** Looks again in a while: not when all others who wait do. */
    void begin() {
        long usual = patience().toNanos();
        Duration pause = Duration.ofNanos(usual / 2 + context.below(usual));
        timer = context.members().time().schedule(pause, () -> mailbox.post(this::look));
    }

    void end() {
        over = true;
        if (timer != null) {
            timer.cancel();
        }
    }

    private void look() {
        if (over) {
            return;
        }
        long now = context.members().time().nanos();
        if (!callers.left(now).isZero()) {
            if (++looks % LOOKS_BEFORE_REPEAT == 0) {
                repeat.run();
            }
            ask();
        } else if (callers.overdue(now).compareTo(patience()) < 0) {
            begin(); // the answer is on the way
        } else {
            giveUp.run();
        }
    }

    private void ask() {
        Ballot<NodeStanding, Boolean> ping = new Ballot<>(
                context.members(),
                votes -> votes.isComplete() ? !votes.all().isEmpty() : null,
                (decision, vote) -> {});
        CompletableFuture<Boolean> unused = ping.ask(
                        List.of(member), patience(), (node, one) -> node.standing())
                .whenComplete(
                        (alive, failure) -> mailbox.post(() -> judge(Boolean.TRUE.equals(alive))));
    }

    private void judge(boolean alive) {
        if (over) {
            return;
        }
        if (alive && member.isLively()) {
            begin();
        } else {
            member.missed();
            giveUp.run();
        }
    }

    private Duration patience() {
        return context.members().patience();
    }
}
