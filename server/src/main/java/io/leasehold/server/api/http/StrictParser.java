// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A parser that takes no number for text, and no long text for a number: a hundred thousand digits
 * would keep an event loop busy for a second. Values of enums it takes in any case.
 */
final class StrictParser extends JsonParserDelegate {

    private static final int LONGEST_NUMBER = 64;

    private final Set<String> enumFields;

    /** Reads fields of these names as values of enums. */
    StrictParser(JsonParser parser, Set<String> enumFields) {
        super(parser);
        this.enumFields = enumFields;
    }

    @Override
    public @Nullable String getValueAsString() throws IOException {
        if (delegate.currentToken() != JsonToken.VALUE_STRING) {
            return null;
        }
        String text = delegate.getText();
        String name = delegate.currentName();
        return name != null && enumFields.contains(name) ? text.toUpperCase(Locale.ROOT) : text;
    }

    @Override
    public char[] getTextCharacters() throws IOException {
        if (delegate.getTextLength() > LONGEST_NUMBER) {
            throw new NumberFormatException("too long for a number");
        }
        return delegate.getTextCharacters();
    }
}
