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
            return Scope.parseOrName(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
