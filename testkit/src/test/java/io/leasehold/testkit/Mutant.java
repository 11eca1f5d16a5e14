// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.RefusalReason;
import io.leasehold.model.Scope;
import io.leasehold.spi.Acquisition;
import io.leasehold.spi.Acquisition.Granted;
import io.leasehold.spi.Acquisition.Held;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Refused;
import io.leasehold.spi.Renewal.Renewed;
import io.leasehold.spi.RenewalRequest;
import io.leasehold.spi.Validity;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Mistakes that a store could make, each of which a check must catch. */
enum Mutant {
    /** Answers the renewal of an expired lease as if it were alive. */
    REVIVES_EXPIRED_LEASES {
        @Override
        Object call(String method, Object argument, Callable<Object> proceed) throws Exception {
            return mapped(
                    proceed,
                    answer -> answer instanceof Refused refused
                                    && refused.reason() == RefusalReason.EXPIRED
                                    && method.equals("renew")
                            ? revived((RenewalRequest) argument)
                            : answer);
        }

        private Renewed revived(RenewalRequest request) {
            Duration ttl = request.ttl().orElse(request.grant().ttl());
            return new Renewed(2, new Validity(Duration.ZERO, ttl));
        }
    },
    /** Grants what is held, under a token of its own making. */
    GRANTS_TWICE {
        @Override
        Object call(String method, Object argument, Callable<Object> proceed) throws Exception {
            return mapped(
                    proceed,
                    answer -> answer instanceof Held held
                            ? grantedAnyway(held, (LeaseRequest) argument)
                            : answer);
        }
    },
    /** Lets leases live a nanosecond too long. */
    EXPIRES_LATE {
        @Override
        Object call(String method, Object argument, Callable<Object> proceed) throws Exception {
            return mapped(
                    proceed,
                    answer -> answer instanceof Granted granted
                            ? new Granted(
                                    granted.grant(), granted.version(), later(granted.validity()))
                            : answer);
        }
    },
    /** Never answers a request that queued. */
    FORGETS_WAITERS {
        @Override
        Object call(String method, Object argument, Callable<Object> proceed) throws Exception {
            CompletionStage<?> stage = (CompletionStage<?>) proceed.call();
            return stage.toCompletableFuture().isDone() ? stage : new CompletableFuture<>();
        }
    },
    /** Numbers its grants from the top down. */
    COUNTS_DOWN {
        @Override
        Object call(String method, Object argument, Callable<Object> proceed) throws Exception {
            return mapped(
                    proceed,
                    answer -> answer instanceof Granted granted
                            ? new Granted(
                                    renumbered(granted.grant()),
                                    granted.version(),
                                    granted.validity())
                            : answer);
        }
    },
    /** Gives one refusal for another. */
    CONFUSES_REASONS {
        @Override
        Object call(String method, Object argument, Callable<Object> proceed) throws Exception {
            return mapped(
                    proceed,
                    answer -> answer instanceof Refused refused
                                    && refused.reason() == RefusalReason.EXPIRED
                            ? new Refused(RefusalReason.NOT_FOUND)
                            : answer);
        }
    };

    /** What happens instead of a call. */
    interface Interception {
        Object call(String method, Object argument, Callable<Object> proceed) throws Exception;
    }

    abstract Object call(String method, Object argument, Callable<Object> proceed) throws Exception;

    LeaseStore breaking(LeaseStore store) {
        return intercepted(store, this::call);
    }

    /** A store that draws and drops a token whenever it turns a request away. */
    static LeaseStore wastingTokens(LeaseStore store) {
        AtomicLong ids = new AtomicLong();
        return intercepted(
                store,
                (method, argument, proceed) -> mapped(proceed, answer -> {
                    if (answer instanceof Held) {
                        Claim elsewhere = Claim.exclusive(Scope.name("elsewhere"));
                        LeaseRequest wasted = LeaseRequest.of(
                                new LeaseId(0, ids.incrementAndGet()),
                                elsewhere,
                                new Holder("nobody"),
                                Duration.ofSeconds(1));
                        store.acquire(wasted);
                        store.withdraw(wasted);
                    }
                    return answer;
                }));
    }

    /** A store whose operations go through the interception. */
    static LeaseStore intercepted(LeaseStore store, Interception interception) {
        return (LeaseStore) Proxy.newProxyInstance(
                LeaseStore.class.getClassLoader(),
                new Class<?>[] {LeaseStore.class},
                (proxy, method, arguments) -> {
                    Callable<Object> proceed = () -> {
                        try {
                            return method.invoke(store, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause() instanceof Exception cause ? cause : e;
                        }
                    };
                    return method.getReturnType() == CompletionStage.class
                            ? interception.call(method.getName(), arguments[0], proceed)
                            : proceed.call();
                });
    }

    private static CompletionStage<?> mapped(
            Callable<Object> proceed, Function<Object, Object> change) throws Exception {
        return ((CompletionStage<?>) proceed.call()).thenApply(change);
    }

    private static Acquisition grantedAnyway(Held held, LeaseRequest request) {
        FencingToken token = new FencingToken(held.blocker().token().value() + 1);
        Holding holding = new Holding(request.claim(), request.holder(), token);
        Validity validity = new Validity(Duration.ZERO, request.terms().ttl());
        return new Granted(new Grant(holding, request.id(), request.terms().ttl()), 1, validity);
    }

    private static Validity later(Validity validity) {
        return new Validity(validity.inStore(), validity.remaining().plusNanos(1));
    }

    private static Grant renumbered(Grant grant) {
        Holding holding = grant.holding();
        FencingToken token =
                new FencingToken(FencingToken.MAX_VALUE - holding.token().value());
        return new Grant(
                new Holding(holding.claim(), holding.holder(), token), grant.id(), grant.ttl());
    }
}
