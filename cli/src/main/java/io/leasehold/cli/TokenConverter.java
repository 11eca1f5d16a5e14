// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.model.FencingToken;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a fencing token. */
final class TokenConverter implements ITypeConverter<FencingToken> {

    @Override
    public FencingToken convert(String text) {
        try {
            return new FencingToken(Long.parseLong(text));
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + text + "' is no token: a number from 1 up");
        }
    }
}
