// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.FencingToken;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * Calls code that is not ours: codecs, listeners, exceptions of the user's own. It may throw
 * anything, also errors and checked exceptions that nobody declared, and whatever it throws must
 * end what it was part of: a lease that nobody releases would be renewed for ever.
 */
final class ForeignCode {

    private ForeignCode() {}

    /**
     * Runs the code. Whatever it throws is passed to the handler, which ends what the code was part
     * of; an error that the JVM must see is then thrown on.
     */
    static void run(Runnable code, Consumer<Throwable> handler) {
        try {
            code.run();
        } catch (Throwable thrown) {
            handler.accept(thrown);
            throwIfFatal(thrown);
        }
    }

    /** Tells a listener; what it throws is logged. */
    static <T> void tell(Consumer<? super T> listener, T news) {
        run(
                () -> listener.accept(news),
                thrown -> System.getLogger(Leasehold.class.getName())
                        .log(System.Logger.Level.WARNING, "a listener failed", thrown));
    }

    /** Closes what belongs to a store, which should not throw; what it throws is logged. */
    static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (Throwable thrown) {
            System.getLogger(Leasehold.class.getName())
                    .log(System.Logger.Level.WARNING, "a store failed to close", thrown);
            throwIfFatal(thrown);
        }
    }

    /** The value of the user's work, which is never null. */
    static <T, X extends Exception> T valueOf(Work<? extends T, X> work, FencingToken token)
            throws X {
        return Objects.requireNonNull(
                work.run(token),
                "the work returned null, which can't be stored: for work without a result use"
                        + " Work.effect with Codec.nothing()");
    }

    /** Throws an error after which the JVM may not be able to go on, such as out of memory. */
    static void throwIfFatal(Throwable thrown) {
        if (thrown instanceof VirtualMachineError fatal
                && !(thrown instanceof StackOverflowError)) {
            throw fatal;
        }
    }

    /** The message of an exception, which may be made by code of the user's own; never null. */
    static String messageOf(Throwable error) {
        try {
            String message = error.getMessage();
            return message == null ? "" : message;
        } catch (Throwable thrown) {
            throwIfFatal(thrown);
            return "(no message: it failed with " + thrown.getClass().getName() + ")";
        }
    }
}
