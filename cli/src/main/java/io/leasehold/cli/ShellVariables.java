// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;

/** A lease as variables that a POSIX shell evaluates. */
final class ShellVariables {

    private ShellVariables() {}

    static String of(Grant grant) {
        StringBuilder scopes = new StringBuilder();
        for (Scope scope : grant.holding().claim().scopes()) {
            scopes.append(scopes.length() == 0 ? "" : "\n").append(scope);
        }
        return line(LeaseFile.ID_VARIABLE, grant.id().reveal())
                + line("LEASEHOLD_TOKEN", grant.token().toString())
                + line("LEASEHOLD_SCOPE", scopes.toString())
                + line(
                        "LEASEHOLD_MODE",
                        JournalJson.lower(grant.holding().claim().mode()));
    }

    private static String line(String name, String value) {
        return "export " + name + "='" + value.replace("'", "'\\''") + "'\n";
    }
}
