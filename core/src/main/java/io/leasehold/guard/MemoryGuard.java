// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A guard around an object of this process. The mark lives and dies with the guard, as the object
 * does; a resource that outlives the process needs a guard that does too. Thread-safe.
 *
 * <p>A change runs while the guard's lock is held, for that is what makes mark and data one step:
 * keep it short.
 */
public final class MemoryGuard<R> implements Guard<R> {

    private final String name;
    private final R resource;
    private final ReentrantLock lock =
            new ReentrantLock(); // guards mark and the resource's changes
    private @Nullable FencingToken mark;

    private MemoryGuard(String name, R resource) {
        this.name = name;
        this.resource = resource;
    }

    /** A guard that has seen no token yet; the name appears in refusals. */
    public static <R> MemoryGuard<R> around(String name, R resource) {
        return new MemoryGuard<>(name, resource);
    }

    @Override
    public void admit(FencingToken token) {
        Object unused = change(token, any -> true);
    }

    @Override
    public <T> T change(FencingToken token, Function<? super R, ? extends T> change) {
        lock.lock();
        try {
            if (mark != null && token.isOlderThan(mark)) {
                throw new StaleTokenException(name, token, mark);
            }
            mark = token; // first, so that even a change that fails shuts out older holders
            return change.apply(resource);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Optional<FencingToken> mark() {
        lock.lock();
        try {
            return Optional.ofNullable(mark);
        } finally {
            lock.unlock();
        }
    }
}
