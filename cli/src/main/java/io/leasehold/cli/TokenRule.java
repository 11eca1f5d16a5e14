// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;
import io.leasehold.cli.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * What a token permits where, written as {@code team-*=acquire,read}.
 *
 * @param namespaces a namespace, or its beginning and a star
 * @param permissions in capitals, as the server names them
 */
record TokenRule(String namespaces, List<String> permissions) {

    private static final List<String> KNOWN = List.of("ACQUIRE", "READ", "FORCE", "ADMIN");

    TokenRule {
        permissions = List.copyOf(permissions);
    }

    static TokenRule of(JsonObject json) {
        return new TokenRule(json.text("namespaces"), json.texts("permissions"));
    }

    Map<String, Object> json() {
        return Json.object("namespaces", namespaces, "permissions", permissions);
    }

    @Override
    public String toString() {
        return namespaces + "=" + String.join(",", permissions).toLowerCase(Locale.ROOT);
    }

    /** Reads a rule. */
    static final class Converter implements ITypeConverter<TokenRule> {

        @Override
        public TokenRule convert(String text) {
            int equals = text.indexOf('=');
            if (equals < 1) {
                throw new TypeConversionException(
                        "'" + text + "' is no rule: write it as team-a=acquire,read or *=admin");
            }
            List<String> permissions = new ArrayList<>();
            for (String word : text.substring(equals + 1).split(",", -1)) {
                String permission = word.toUpperCase(Locale.ROOT);
                if (!KNOWN.contains(permission)) {
                    throw new TypeConversionException("'" + word
                            + "' is no permission: there are acquire, read, force and admin");
                }
                permissions.add(permission);
            }
            return new TokenRule(text.substring(0, equals), permissions);
        }
    }
}
