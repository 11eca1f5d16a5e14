// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;

/**
 * How a token stands at a scope.
 *
 * @param standing whether it holds the scope
 * @param newest the highest token of a lease, lock-delay or record that overlaps the scope; 0 if
 *     there is none
 */
public record TokenCheck(Standing standing, long newest) {

    /** Whether a token holds a scope. */
    public enum Standing {
        /** Its lease lives and covers the scope. */
        CURRENT,
        /**
         * A newer one holds what overlaps the scope exclusively, or held it until its lease expired
         * and is in its lock-delay, or left a record there.
         */
        STALE,
        /** Neither. */
        UNKNOWN
    }

    /**
     * Finds out how a token stands from what overlaps the scope, told in any order and as often as
     * one likes. For engines. Not thread-safe.
     */
    public static final class Search {

        private final Scope scope;
        private final long token;
        private boolean current;
        private boolean stale;
        private long newest;

        public Search(Scope scope, FencingToken token) {
            this.scope = scope;
            this.token = token.value();
        }

        /** A lease that is held. */
        public void held(long other, Claim claim) {
            current |= other == token && claim.covers(scope);
            granted(other, claim);
        }

        /** A lease that expired and is in its lock-delay: its token is current no longer. */
        public void inLockDelay(long other, Claim claim) {
            granted(other, claim);
        }

        private void granted(long other, Claim claim) {
            newest = Math.max(newest, other);
            stale |= other > token && claim.mode() == Mode.EXCLUSIVE;
        }

        /** A record that was left behind. */
        public void left(long other) {
            newest = Math.max(newest, other);
            stale |= other > token;
        }

        /** A row of a listing. */
        public void see(LeaseView view) {
            long other = view.holding().token().value();
            Claim claim = view.holding().claim();
            switch (view.state()) {
                case HELD -> held(other, claim);
                case LOCK_DELAY -> inLockDelay(other, claim);
                case COMPLETED -> left(other);
            }
        }

        public TokenCheck result() {
            Standing standing = Standing.UNKNOWN;
            if (current) {
                standing = Standing.CURRENT;
            } else if (stale) {
                standing = Standing.STALE;
            }
            return new TokenCheck(standing, newest);
        }
    }
}
