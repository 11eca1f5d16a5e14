// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard;

import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;

import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * A guard around an object of this process. The marks live and die with the guard, as the object
 * does; a resource that outlives the process needs a guard that does too. Thread-safe.
 *
 * <p>A guard {@linkplain #around(Scope, Object) of a resource with parts} keeps a mark for each part
 * that was ever written, {@link Marks#MAX_RANGES} at most. Choose parts that come again, such as
 * accounts or shards, and not one for each payment: when all are taken, known parts go on and a new
 * one is refused with a {@link io.leasehold.model.LimitExceededException}.
 *
 * <p>A change runs while the guard's lock is held, for that is what makes mark and data one step:
 * keep it short.
 */
public final class MemoryGuard<R> implements Guard<R> {

    private final Scope scope;
    private final R resource;
    private final ReentrantLock lock =
            new ReentrantLock(); // guards marks and the resource's changes
    private final Marks marks;

    private MemoryGuard(Scope scope, String name, R resource) {
        this.scope = scope;
        this.resource = resource;
        this.marks = new Marks(scope, name);
    }

    /** A guard that has seen no token yet; the name appears in refusals. */
    public static <R> MemoryGuard<R> around(String name, R resource) {
        return new MemoryGuard<>(Scope.name(name), name, resource);
    }

    /** A guard around a resource that may have parts, of which none has seen a token yet. */
    public static <R> MemoryGuard<R> around(Scope scope, R resource) {
        return new MemoryGuard<>(scope, scope.toString(), resource);
    }

    @Override
    public Scope resource() {
        return scope;
    }

    @Override
    public <T> T change(Admission admission, Function<? super R, ? extends T> change) {
        lock.lock();
        try {
            marks.check(admission);
            marks.raise(admission); // first, so that even a change that fails shuts out older ones
            return change.apply(resource);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<FencingToken> mark(Scope part) {
        lock.lock();
        try {
            return marks.of(part);
        } finally {
            lock.unlock();
        }
    }
}
