// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.TokenEntry;
import io.leasehold.server.access.TokenFile;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * The tokens in a server's file, whether or not it runs. Apart from the other classes, because it
 * needs the server's.
 */
final class TokensInFile implements Tokens {

    private final TokenFile file;

    TokensInFile(Path path) {
        this.file = TokenFile.at(path);
    }

    @Override
    public String create(String name, List<TokenRule> rules) {
        return file.create(
                name,
                rules.stream().map(rule -> AccessRule.parse(rule.toString())).toList());
    }

    @Override
    public List<View> list() {
        return file.list().stream().map(TokensInFile::view).toList();
    }

    private static View view(TokenEntry entry) {
        return new View(
                entry.name(), entry.rules().stream().map(TokensInFile::rule).toList());
    }

    private static TokenRule rule(AccessRule rule) {
        return new TokenRule(
                rule.namespaces(),
                rule.permissions().stream()
                        .map(permission -> permission.name().toUpperCase(Locale.ROOT))
                        .sorted()
                        .toList());
    }

    @Override
    public boolean revoke(String name) {
        return file.revoke(name);
    }
}
