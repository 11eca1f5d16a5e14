// SPDX-License-Identifier: Apache-2.0
/** The guard of database rows: mark and data in one transaction. */
module io.leasehold.jdbc {
    requires transitive io.leasehold.core;
    requires transitive java.sql;
    requires static transitive org.jspecify;

    exports io.leasehold.jdbc;
}
