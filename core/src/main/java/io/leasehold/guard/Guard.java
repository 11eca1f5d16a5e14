// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The memory that makes a resource safe against holders that lost their lease and don't know it:
 * the highest token seen, the <em>mark</em>. A token below the mark is refused, the mark itself and
 * anything above pass and raise it. Mark and data change in one atomic step. Thread-safe.
 *
 * <p>A holder that reads before it writes calls {@link #seal} first: until its token has reached
 * the resource, a delayed write of an earlier holder could still land between its read and its
 * write.
 *
 * @param <R> how the guarded resource is reached in a write
 */
public interface Guard<R> {

    /**
     * Raises the mark to the token.
     *
     * @throws StaleTokenException if the resource has seen a newer one; nothing changed
     */
    void admit(FencingToken token);

    /**
     * Shuts out all earlier holders, so that what is read from here on can only be changed by this
     * token or a newer one. Call it before the first read.
     *
     * @throws StaleTokenException if the resource has seen a newer token
     */
    default void seal(FencingToken token) {
        admit(token);
    }

    /**
     * Admits the token and changes the resource in one step. If the change itself throws, the token
     * stays admitted.
     *
     * @return what the change returned
     * @throws StaleTokenException if the resource has seen a newer token; the change did not run
     */
    <T> T change(FencingToken token, Function<? super R, ? extends T> change);

    /** {@link #change} without a result. */
    default void write(FencingToken token, Consumer<? super R> write) {
        Object unused = change(token, resource -> {
            write.accept(resource);
            return true;
        });
    }

    /** The highest token seen, if any was. */
    Optional<FencingToken> mark();
}
