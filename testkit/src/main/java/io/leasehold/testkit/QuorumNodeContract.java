// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.table.TableOptions;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/**
 * What every node of a quorum owes beyond {@link LeaseStoreContract}, as tests. A node's test
 * extends this class and says how to open a node; everything that {@link
 * io.leasehold.spi.QuorumNode} states is then checked.
 *
 * <p>A node with a foreign clock really waits in {@link StoreUnderTest#pass}, for less than a
 * second; it overrides {@link #tolerance}.
 */
public abstract class QuorumNodeContract {

    /**
     * Opens an empty node with these bounds, which was never admitted to a quorum: {@link
     * StoreUnderTest#store} returns a {@link io.leasehold.spi.QuorumNode}.
     */
    protected abstract StoreUnderTest open(TableOptions options);

    /** How much longer than it was asked to wait a test may have waited, on a busy machine too. */
    protected Duration tolerance() {
        return Duration.ZERO;
    }

    @Nested
    final class Admissions extends NodeAdmissionRules {
        @Override
        QuorumNodeContract contract() {
            return QuorumNodeContract.this;
        }
    }

    @Nested
    final class Proposals extends NodeProposalRules {
        @Override
        QuorumNodeContract contract() {
            return QuorumNodeContract.this;
        }
    }

    @Nested
    final class Repairs extends NodeRepairRules {
        @Override
        QuorumNodeContract contract() {
            return QuorumNodeContract.this;
        }
    }

    @Nested
    final class Retractions extends NodeRetractionRules {
        @Override
        QuorumNodeContract contract() {
            return QuorumNodeContract.this;
        }
    }

    @Nested
    final class Records extends NodeRecordRules {
        @Override
        QuorumNodeContract contract() {
            return QuorumNodeContract.this;
        }
    }
}
