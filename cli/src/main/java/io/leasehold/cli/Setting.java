// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A setting and where it came from: an option goes before the environment, which goes before the
 * default.
 *
 * @param name the option's name without dashes
 * @param value empty if there is none
 * @param source for people
 */
record Setting(String name, String value, String source) {

    static Setting of(
            String name,
            @Nullable String given,
            Map<String, String> environment,
            String whenMissing) {
        if (given != null) {
            return new Setting(name, given, "option --" + name);
        }
        String variable = variable(name);
        String set = environment.getOrDefault(variable, "");
        return set.isEmpty()
                ? new Setting(name, whenMissing, "default")
                : new Setting(name, set, "environment " + variable);
    }

    /** The name of the variable for an option: LEASEHOLD_TOKEN_FILE for token-file. */
    static String variable(String name) {
        StringBuilder variable = new StringBuilder("LEASEHOLD_");
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            variable.append(c == '-' ? '_' : Character.toUpperCase(c));
        }
        return variable.toString();
    }

    boolean isSet() {
        return !value.isEmpty();
    }
}
