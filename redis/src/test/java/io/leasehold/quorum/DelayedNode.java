// SPDX-License-Identifier: Apache-2.0
package io.leasehold.quorum;

import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.LeaseEvents;
import io.leasehold.spi.QuorumNode;
import io.leasehold.spi.Time;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * One client's way to a node on which each kind of request takes exactly as long as the test says.
 * The reply takes no time.
 */
final class DelayedNode {

    private final Time time;
    private final Supplier<? extends QuorumNode> node;
    private final Map<String, Duration> delays = new HashMap<>();
    private Duration usual;
    private boolean down;

    /** Every request takes so long; the node is the one that is there when it arrives. */
    DelayedNode(Time time, Supplier<? extends QuorumNode> node, Duration usual) {
        this.time = time;
        this.node = node;
        this.usual = usual;
    }

    /** Requests of this kind take so long from now on; they are named as the method is. */
    void delay(String kind, Duration delay) {
        delays.put(kind, delay);
    }

    /** Requests of all other kinds take so long from now on. */
    void delay(Duration delay) {
        usual = delay;
    }

    /** Connections are refused from now on, or made again. */
    void cut(boolean refused) {
        down = refused;
    }

    QuorumNode way() {
        return (QuorumNode) Proxy.newProxyInstance(
                QuorumNode.class.getClassLoader(),
                new Class<?>[] {QuorumNode.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("subscribe")) {
                        if (down) {
                            throw new StoreUnavailableException("connection refused");
                        }
                        return node.get().subscribe(delayed((LeaseEvents) arguments[0]));
                    }
                    return CompletionStage.class.isAssignableFrom(method.getReturnType())
                            ? send(method, arguments)
                            : method.invoke(node.get(), arguments);
                });
    }

    /** Events take as long as requests of the kind "subscribe" do. */
    private LeaseEvents delayed(LeaseEvents listener) {
        return event -> {
            Duration delay = delays.getOrDefault("subscribe", Duration.ZERO);
            if (delay.isZero()) {
                listener.on(event);
            } else {
                Time.Timer unused = time.schedule(delay, () -> listener.on(event));
            }
        };
    }

    private CompletableFuture<Object> send(Method method, Object[] arguments) {
        if (down) {
            return CompletableFuture.failedFuture(
                    new StoreUnavailableException("connection refused"));
        }
        CompletableFuture<Object> reply = new CompletableFuture<>();
        Duration delay = delays.getOrDefault(method.getName(), usual);
        if (delay.isZero()) {
            arrive(method, arguments, reply);
        } else {
            Time.Timer unused = time.schedule(delay, () -> arrive(method, arguments, reply));
        }
        return reply;
    }

    private void arrive(Method method, Object[] arguments, CompletableFuture<Object> reply) {
        try {
            CompletionStage<?> unused = ((CompletionStage<?>) method.invoke(node.get(), arguments))
                    .whenComplete((answer, failure) -> {
                        if (failure == null) {
                            reply.complete(answer);
                        } else {
                            reply.completeExceptionally(Members.cause(failure));
                        }
                    });
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
