// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.Scope;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a scope such as {@code path:/var/data}; a text without a kind is a name. */
final class ScopeConverter implements ITypeConverter<Scope> {

    @Override
    public Scope convert(String text) {
        try {
            return hasKind(text) ? Scope.parse(text) : Scope.name(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }

    private static boolean hasKind(String text) {
        int colon = text.indexOf(':');
        return colon > 0
                && switch (text.substring(0, colon)) {
                    case "name", "path", "subtree", "inode", "range" -> true;
                    default -> false;
                };
    }
}
