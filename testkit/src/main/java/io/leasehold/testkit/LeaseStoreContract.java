// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.table.TableOptions;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/**
 * What every engine owes, as tests. An engine's test extends this class and says how to open a store; everything that
 * {@link io.leasehold.spi.LeaseStore} states is then checked.
 *
 * <pre>{@code
 * final class MemoryLeaseStoreContractTest extends LeaseStoreContract {
 *     @Override
 *     protected StoreUnderTest open(TableOptions options) {
 *         VirtualTime time = VirtualTime.create();
 *         return StoreUnderTest.on(time, MemoryLeaseStore.create(options, time));
 *     }
 * }
 * }</pre>
 *
 * <p>An engine with a foreign clock really waits in {@link StoreUnderTest#pass}; it overrides {@link #ttl} to make that
 * short and {@link #tolerance} to say how exact it can be. Each test opens a store of its own and closes it.
 */
public abstract class LeaseStoreContract {

    /** Opens an empty store with these bounds. */
    protected abstract StoreUnderTest open(TableOptions options);

    /** How far the store's idea of time may be off. Zero demands exactness to the nanosecond. */
    protected Duration tolerance() {
        return Duration.ZERO;
    }

    /** How long leases live in the tests; waits and retentions are small multiples of it. */
    protected Duration ttl() {
        return Duration.ofSeconds(10);
    }

    /** Whether tokens go up by one, so that a wasted one shows. Not so where a clock is their floor. */
    protected boolean countsTokens() {
        return true;
    }

    /**
     * Whether the store knows who sent a request for others, so that a server may run on it. One that
     * does not takes nothing back, whoever asks.
     */
    protected boolean knowsSenders() {
        return true;
    }

    @Nested
    final class Tokens extends TokenRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class Expiry extends ExpiryRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class LockDelay extends LockDelayRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class Refusals extends RefusalRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class Force extends ForceRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class Repeats extends RepeatRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class Senders extends SenderRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class Overlaps extends OverlapRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class SeveralScopes extends SeveralScopesRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class Queueing extends QueueRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class Records extends RecordRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class Listing extends ListingRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class Events extends EventRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class Identity extends IdentityRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }

    @Nested
    final class Bounds extends BoundsRules {
        @Override
        LeaseStoreContract contract() {
            return LeaseStoreContract.this;
        }
    }
}
