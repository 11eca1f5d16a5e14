// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.table.TableOptions;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/**
 * Single flight, idempotency and election as several processes see them, on any engine: what {@link LeaseStoreContract}
 * is for the store, this is for what is built on it. An engine's test extends it and says how to open a store.
 */
public abstract class PrimitivesContract {

    /** Opens an empty store with these bounds. */
    protected abstract StoreUnderTest open(TableOptions options);

    /** How long leases live in the tests. */
    protected Duration ttl() {
        return Duration.ofSeconds(10);
    }

    @Nested
    final class SingleFlights extends SingleFlightRules {
        @Override
        PrimitivesContract contract() {
            return PrimitivesContract.this;
        }
    }

    @Nested
    final class IdempotentCalls extends IdempotencyRules {
        @Override
        PrimitivesContract contract() {
            return PrimitivesContract.this;
        }
    }

    @Nested
    final class Elections extends ElectionRules {
        @Override
        PrimitivesContract contract() {
            return PrimitivesContract.this;
        }
    }
}
