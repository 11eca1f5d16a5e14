// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A guard that has let a request through. It stands at the request while the rest of the chain runs,
 * so that a request that is forwarded, or mapped twice, is not brought to the same guard again: it
 * would wait for itself.
 *
 * @param filter which asked the guard
 * @param guard which was asked
 * @param admission what the request was admitted with
 * @param resource what the guard handed over; null if it is not held while the handler runs
 * @param outer the guard that was passed before this one
 */
record PassedGuard(
        FencingFilter filter,
        Guard<?> guard,
        Admission admission,
        @Nullable Object resource,
        @Nullable PassedGuard outer) {

    private static final String ATTRIBUTE = "io.leasehold.http.passed-guard";

    /** The last guard that the request has passed, within which it is now. */
    static @Nullable PassedGuard last(HttpServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof PassedGuard passed ? passed : null;
    }

    /** Where the request has passed the guard already, with this token and for this target. */
    static Optional<PassedGuard> earlier(
            HttpServletRequest request, FencingFilter filter, Guard<?> guard, Admission admission) {
        for (PassedGuard passed = last(request); passed != null; passed = passed.outer) {
            if (passed.isOf(filter, guard)
                    && passed.admission.token().equals(admission.token())
                    && passed.admission.target().covers(admission.target())) {
                return Optional.of(passed);
            }
        }
        return Optional.empty();
    }

    /** A function may make the guard of a resource anew for each request that asks for it. */
    private boolean isOf(FencingFilter other, Guard<?> asked) {
        return guard == asked || (filter == other && guard.resource().equals(asked.resource()));
    }

    /** Whether the guard is held until the handler returns. */
    boolean isInOneStep() {
        return resource != null;
    }

    /**
     * Runs the rest of the chain, which finds admission and resource at the request: as long as it
     * runs, and if it goes on asynchronously, until it has ended.
     */
    void during(HttpServletRequest request, Step step) {
        Object before = request.getAttribute(ATTRIBUTE);
        Object admitted = request.getAttribute(FencingFilter.ADMISSION);
        Object handed = request.getAttribute(FencingFilter.RESOURCE);
        show(request, this, admission, resource == null ? handed : resource);
        try {
            step.run();
        } finally {
            if (isInOneStep() || !request.isAsyncStarted()) {
                show(request, before, admitted, handed);
            }
        }
    }

    private static void show(
            HttpServletRequest request,
            @Nullable Object passed,
            @Nullable Object admission,
            @Nullable Object resource) {
        request.setAttribute(ATTRIBUTE, passed);
        request.setAttribute(FencingFilter.ADMISSION, admission);
        request.setAttribute(FencingFilter.RESOURCE, resource);
    }
}
