// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import java.util.List;
import java.util.Optional;

/**
 * A principal in the token file.
 *
 * @param name unique in the file; for a certificate its subject's common name
 * @param hash the SHA-256 of the bearer token, 64 hex digits; empty for one who comes with a
 *     certificate
 * @param rules what is permitted; nothing else is
 */
public record TokenEntry(String name, Optional<String> hash, List<AccessRule> rules) {

    /** The most rules that one principal can have. */
    static final int MAX_RULES = 100;

    public TokenEntry {
        Names.checkPrincipal(name);
        rules = List.copyOf(rules);
        if (rules.isEmpty()) {
            throw new IllegalArgumentException(
                    "'" + name + "' has no rule, so it could do nothing; give it one");
        }
        if (rules.size() > MAX_RULES) {
            throw new IllegalArgumentException("'" + name + "' has " + rules.size()
                    + " rules; at most " + MAX_RULES + " are allowed");
        }
    }

    boolean may(Permission permission, String namespace) {
        return rules.stream().anyMatch(rule -> rule.permits(permission) && rule.covers(namespace));
    }

    boolean mayEverywhere(Permission permission) {
        return rules.stream().anyMatch(rule -> rule.permits(permission) && rule.coversAll());
    }

    /** Without the hash: what is shown may be logged. */
    @Override
    public String toString() {
        return name + (hash.isPresent() ? " token " : " certificate ") + rules;
    }
}
