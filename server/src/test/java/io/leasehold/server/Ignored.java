// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import io.grpc.stub.StreamObserver;

/** Answers that nobody wants. */
final class Ignored<T> implements StreamObserver<T> {
    @Override
    public void onNext(T value) {}

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onCompleted() {}
}
