// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.FencingToken;

/**
 * Work that one caller does for many.
 *
 * @param <T> what it returns, never null
 * @param <X> what it throws
 */
@FunctionalInterface
public interface Work<T, X extends Exception> {

    /** Does it. Whatever it writes to a guarded resource, it writes with the token. */
    T run(FencingToken token) throws X;

    /** Work that has an effect and no result; goes with {@link Codec#nothing}. */
    static <X extends Exception> Work<Codec.Nothing, X> effect(Effect<X> effect) {
        return token -> {
            effect.run(token);
            return Codec.Nothing.NOTHING;
        };
    }

    /**
     * Work without a result.
     *
     * @param <X> what it throws
     */
    @FunctionalInterface
    interface Effect<X extends Exception> {

        /** Does it. Whatever it writes to a guarded resource, it writes with the token. */
        void run(FencingToken token) throws X;
    }
}
