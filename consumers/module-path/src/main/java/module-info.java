// SPDX-License-Identifier: Apache-2.0
/** An application that is a module. */
module consumer {
    requires io.leasehold.core;
    requires io.leasehold.jackson;

    opens consumer to
            com.fasterxml.jackson.databind;
}
