// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.json;

/** A text is no JSON, or not the JSON that was expected. The message does not repeat the text. */
public final class JsonException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public JsonException(String message) {
        super(message);
    }
}
