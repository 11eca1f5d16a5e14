// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;

import org.jspecify.annotations.Nullable;

/**
 * Which bodies are taken. A page of another site can make a browser send a form or plain text
 * without asking first, but not JSON; so JSON it must be. What {@code curl -d} sends calls itself a
 * form: that is taken for JSON too, unless a browser sent it, which says so by its Origin header.
 */
final class MediaTypes {

    private MediaTypes() {}

    /** Why a body with these headers is not taken; null if it is. */
    static @Nullable Problem refusal(RequestHeaders headers) {
        MediaType type = headers.contentType();
        if (type != null && type.is(MediaType.JSON.withoutParameters())) {
            return null;
        }
        boolean form = type != null && type.is(MediaType.FORM_DATA);
        if (form && !fromBrowser(headers)) {
            return null;
        }
        return Problem.of(
                HttpStatus.UNSUPPORTED_MEDIA_TYPE,
                "UNSUPPORTED_MEDIA_TYPE",
                "Not with this content type",
                "Send JSON with 'Content-Type: application/json'.");
    }

    private static boolean fromBrowser(RequestHeaders headers) {
        return headers.contains(HttpHeaderNames.ORIGIN)
                || headers.contains(HttpHeaderNames.SEC_FETCH_SITE)
                || headers.contains(HttpHeaderNames.REFERER);
    }
}
