// SPDX-License-Identifier: Apache-2.0
package io.leasehold.jdbc;

/** Races on H2. */
final class H2RaceTest extends RaceRules {

    H2RaceTest() {
        super(Database.h2());
    }
}
