// SPDX-License-Identifier: Apache-2.0
package io.leasehold.guard;

import io.leasehold.listener.LeaseholdListener;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;

import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The memory that makes a resource safe against holders that lost their lease and don't know it:
 * the highest token seen, the <em>mark</em>. A token below the mark is refused, the mark itself and
 * anything above pass and raise it. Mark and data change in one atomic step. Thread-safe.
 *
 * <p>A resource that has parts (bytes of an inode, paths of a subtree) has a mark for each: a write
 * passes when no part it touches has seen a newer token, and raises exactly those parts. An {@link
 * Admission} names the part. A bare token stands for the whole resource.
 *
 * <p>A holder that reads before it writes calls {@link #seal} first: until its token has reached
 * the resource, a delayed write of an earlier holder could still land between its read and its
 * write.
 *
 * @param <R> how the guarded resource is reached in a write
 */
public interface Guard<R> {

    /** What is guarded, as a whole. */
    Scope resource();

    /**
     * Admits the writer and changes the resource in one step. If the change itself throws, a guard
     * that can undo it does so, and the mark with it; any other leaves the mark raised, so that
     * what was changed half shuts out older holders.
     *
     * <p>A change writes to the resource that it is given. What it writes elsewhere is not undone,
     * while the mark may be: call {@link #admit(Admission)} before, whose mark stays.
     *
     * @return what the change returned
     * @throws StaleTokenException if the target has seen a newer token; the change did not run
     * @throws ScopeMismatchException if the target is no part of the resource; the change did not
     *     run
     */
    <T> T change(Admission admission, Function<? super R, ? extends T> change);

    /** The highest token that any of the given part has seen, if any was. */
    Optional<FencingToken> mark(Scope part);

    /** {@link #change(Admission, Function)} of the whole resource. */
    default <T> T change(FencingToken token, Function<? super R, ? extends T> change) {
        return change(Admission.of(token, resource()), change);
    }

    /** {@link #change(Admission, Function)} without a result. */
    default void write(Admission admission, Consumer<? super R> write) {
        Object unused = change(admission, resource -> {
            write.accept(resource);
            return true;
        });
    }

    /** {@link #write(Admission, Consumer)} to the whole resource. */
    default void write(FencingToken token, Consumer<? super R> write) {
        write(Admission.of(token, resource()), write);
    }

    /**
     * Raises the mark of the target to the token.
     *
     * @throws StaleTokenException if the target has seen a newer one; nothing changed
     * @throws ScopeMismatchException if the target is no part of the resource; nothing changed
     */
    default void admit(Admission admission) {
        write(admission, unchanged -> {});
    }

    /** {@link #admit(Admission)} for the whole resource. */
    default void admit(FencingToken token) {
        admit(Admission.of(token, resource()));
    }

    /**
     * Shuts out all earlier holders, so that what is read from here on can only be changed by this
     * token or a newer one. Call it before the first read.
     *
     * @throws StaleTokenException if the target has seen a newer token
     * @throws ScopeMismatchException if the target is no part of the resource
     */
    default void seal(Admission admission) {
        admit(admission);
    }

    /** {@link #seal(Admission)} for the whole resource. */
    default void seal(FencingToken token) {
        seal(Admission.of(token, resource()));
    }

    /** The highest token that any part has seen, if any was. */
    default Optional<FencingToken> mark() {
        return mark(resource());
    }

    /** This guard, telling the listener of each token that is checked through what is returned. */
    default Guard<R> reportingTo(LeaseholdListener listener) {
        return new ReportingGuard<>(this, listener);
    }
}
