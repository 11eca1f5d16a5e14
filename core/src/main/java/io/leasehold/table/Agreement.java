// SPDX-License-Identifier: Apache-2.0
package io.leasehold.table;

import io.leasehold.spi.Round;
import io.leasehold.spi.TokenState;

/**
 * What a node of a quorum keeps with a lease, or with a request that waits, so that the nodes agree
 * on one token for it: the vote of one acceptor. See {@code docs/decisions/0010-quorum.md}.
 */
final class Agreement {

    private static final long NOBODY = 0;

    private long draw;
    private long maker; // the only attempt that asked for it so far, or nobody
    private Round asked;
    private Round mark = Round.NONE;

    private Agreement(long draw, long maker, Round asked) {
        this.draw = draw;
        this.maker = maker;
        this.asked = asked;
    }

    /** Of a request that an attempt makes here. */
    static Agreement madeIn(Round round) {
        return new Agreement(0, round.attempt(), round);
    }

    /** Of a lease that no attempt made here. */
    static Agreement ofNobody(long draw) {
        return new Agreement(draw, NOBODY, Round.NONE);
    }

    void drawn(long token) {
        draw = token;
    }

    /** Notes that an attempt asked for what is here. */
    void ask(Round round) {
        asked = round.isAfter(asked) ? round : asked;
        maker = maker == round.attempt() ? maker : NOBODY;
    }

    /**
     * Begins anew with a draw for a rotation, which nobody takes back. Rounds that were asked stay
     * so: the same rotation may have begun here before, and a repair have undone it.
     */
    void rotate(long token, Round round) {
        ask(round);
        draw = token;
        maker = NOBODY;
        mark = Round.NONE;
    }

    /** Whether the round may take it away: nobody else asked for it, nor the same attempt later. */
    boolean isGivenBackBy(Round round) {
        return maker != NOBODY && maker == round.attempt() && !asked.isAfter(round);
    }

    /** Takes a token in a round, if the rule allows; the lease has the current one until then. */
    boolean take(Round round, long token, long current) {
        if (isFinal()) {
            return token == current;
        }
        if (round.isFinal()) {
            mark = round;
            return true;
        }
        if (asked.isAfter(round) || !(token >= draw || (isMarked() && token == current))) {
            return false;
        }
        asked = round;
        mark = round;
        return true;
    }

    /** Notes that the lease's token is final, be it below the draw. */
    void finish() {
        mark = Round.FINAL;
    }

    boolean isMarked() {
        return !mark.isNone();
    }

    boolean isFinal() {
        return mark.isFinal();
    }

    TokenState state(long rotatedFrom) {
        return new TokenState(draw, mark, asked, rotatedFrom);
    }
}
