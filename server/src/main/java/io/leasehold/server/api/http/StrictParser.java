// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A parser that takes no number for text, and no long text for a number: a hundred thousand digits
 * would keep an event loop busy for a second.
 */
final class StrictParser extends JsonParserDelegate {

    private static final int LONGEST_NUMBER = 64;

    StrictParser(JsonParser parser) {
        super(parser);
    }

    @Override
    public @Nullable String getValueAsString() throws IOException {
        return delegate.currentToken() == JsonToken.VALUE_STRING ? delegate.getText() : null;
    }

    @Override
    public char[] getTextCharacters() throws IOException {
        if (delegate.getTextLength() > LONGEST_NUMBER) {
            throw new NumberFormatException("too long for a number");
        }
        return delegate.getTextCharacters();
    }
}
