// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpObject;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.stream.StreamMessage;
import com.linecorp.armeria.common.stream.SubscriptionOption;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/**
 * The body of a request, which tells the lengths of the parts as they come in. {@link
 * HttpRequest#peekData} tells them when the whole is there, if the whole is what is asked for.
 */
record CountedBody(StreamMessage<HttpObject> body, IntConsumer lengths)
        implements StreamMessage<HttpObject> {

    /** The request with its body counted. */
    static HttpRequest of(HttpRequest request, IntConsumer lengths) {
        return HttpRequest.of(request.headers(), new CountedBody(request, lengths));
    }

    @Override
    public void subscribe(
            Subscriber<? super HttpObject> subscriber,
            EventExecutor executor,
            SubscriptionOption... options) {
        body.subscribe(new Counting(subscriber, lengths), executor, options);
    }

    private record Counting(Subscriber<? super HttpObject> subscriber, IntConsumer lengths)
            implements Subscriber<HttpObject> {

        @Override
        public void onSubscribe(Subscription subscription) {
            subscriber.onSubscribe(subscription);
        }

        @Override
        public void onNext(HttpObject part) {
            if (part instanceof HttpData data) {
                lengths.accept(data.length());
            }
            subscriber.onNext(part);
        }

        @Override
        public void onError(Throwable failure) {
            subscriber.onError(failure);
        }

        @Override
        public void onComplete() {
            subscriber.onComplete();
        }
    }

    @Override
    public boolean isOpen() {
        return body.isOpen();
    }

    @Override
    public boolean isEmpty() {
        return body.isEmpty();
    }

    @Override
    public long demand() {
        return body.demand();
    }

    @Override
    public CompletableFuture<Void> whenComplete() {
        return body.whenComplete();
    }

    @Override
    public void abort() {
        body.abort();
    }

    @Override
    public void abort(Throwable cause) {
        body.abort(cause);
    }
}
