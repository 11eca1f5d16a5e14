// SPDX-License-Identifier: Apache-2.0
/** Values as JSON in records, by Jackson. */
module io.leasehold.jackson {
    requires transitive io.leasehold.core;
    requires transitive com.fasterxml.jackson.core;
    requires transitive com.fasterxml.jackson.databind;
    requires com.fasterxml.jackson.datatype.jdk8;
    requires com.fasterxml.jackson.datatype.jsr310;
    requires static transitive org.jspecify;

    exports io.leasehold.jackson;
}
