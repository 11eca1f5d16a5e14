// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import io.grpc.CallCredentials;
import io.grpc.Metadata;

import java.util.concurrent.Executor;

/** A bearer token with each call. */
final class Bearer extends CallCredentials {

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final String token;

    Bearer(String token) {
        this.token = token;
    }

    @Override
    public void applyRequestMetadata(
            RequestInfo request, Executor executor, MetadataApplier applier) {
        Metadata headers = new Metadata();
        headers.put(AUTHORIZATION, "Bearer " + token);
        applier.apply(headers);
    }
}
