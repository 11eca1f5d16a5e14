// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api;

import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.LeaseStore;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.BiFunction;

/** Stores whose subscriptions a test makes. */
public final class SubscribedByTest {

    private SubscribedByTest() {}

    /** The store, but for its method {@code subscribe}. */
    public static LeaseStore over(
            LeaseStore store,
            BiFunction<LeaseStore, LeaseEvents, LeaseEvents.Subscription> subscribe) {
        return (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                new Class<?>[] {LeaseStore.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("subscribe")) {
                        return subscribe.apply(store, (LeaseEvents) arguments[0]);
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
