// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.StoreId;
import io.leasehold.spi.Grant;
import io.leasehold.table.TableOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each store has an id of its own, which stays. */
@Tag("essential")
abstract class IdentityRules extends ContractRules {

    @Test
    void aStoreKeepsItsId() {
        Grant held = alice.holds("orders");
        StoreId before = id();
        assertThat(alice.releases(held)).isEqualTo(ENDED);
        pass(ttl());
        assertFree("orders");
        assertThat(id()).isEqualTo(before);
    }

    @Test
    void twoStoresHaveTwoIds() {
        assertFree("orders");
        StoreId first = id();
        reopen(TableOptions.defaults());
        assertFree("orders");
        assertThat(id()).isNotEqualTo(first);
    }

    private StoreId id() {
        return Answers.of(store().storeId());
    }
}
