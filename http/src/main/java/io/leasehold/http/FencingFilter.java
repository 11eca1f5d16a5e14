// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A guard in front of HTTP endpoints. A request that changes a guarded resource carries its token
 * in the header {@code Fencing-Token}; if the resource has seen a newer one, the answer is 409 and
 * the handler does not run. Immutable and thread-safe.
 *
 * <p>Unless told otherwise, the mark is raised first, for good: from then on no older request passes,
 * whatever becomes of this one. Then the rest of the chain runs inside {@link Guard#change}, hence
 * under the lock of a {@link io.leasehold.guard.MemoryGuard} and in the transaction of a guard that
 * has one. What the handler writes to the guard's {@link #resource} is one step with the check. What
 * it writes elsewhere is protected as long as the guard holds its lock, and if the handler fails,
 * the guard does not undo it.
 *
 * <p>The guard is held for as long as the handler takes, the reading of the request's body included,
 * and can't be continued asynchronously. See {@link #withAdmissionOnly} for the other way.
 *
 * <p>A request that meets the filter again before its handler has returned, because it is forwarded
 * or the filter is mapped twice, is not brought to the same guard again: it goes on with the
 * admission and the resource that it has.
 *
 * <p>A handler may write to guards of its own with the same token: a {@link StaleTokenException}
 * about it that leaves the handler, alone or as the cause of a {@code ServletException}, is
 * answered 409 as well. Everything else that leaves it passes unchanged.
 *
 * <p>Put it behind authentication: a guard believes any number.
 */
public final class FencingFilter implements Filter {

    /**
     * The request attribute with the {@link Admission} of a request that was let through, while the
     * handler runs: see {@link #admission}.
     */
    public static final String ADMISSION = "io.leasehold.http.admission";

    /**
     * The request attribute with the guard's resource, while the handler runs inside the guard: see
     * {@link #resource}.
     */
    public static final String RESOURCE = "io.leasehold.http.resource";

    private static final System.Logger LOG = System.getLogger(FencingFilter.class.getName());
    private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    private final Function<? super HttpServletRequest, Optional<Guarded>> guards;
    private final boolean tokenRequired;
    private final boolean inOneStep;

    private FencingFilter(
            Function<? super HttpServletRequest, Optional<Guarded>> guards,
            boolean tokenRequired,
            boolean inOneStep) {
        this.guards = guards;
        this.tokenRequired = tokenRequired;
        this.inOneStep = inOneStep;
    }

    /**
     * Asks the function which guard stands before a request; none means that the request is not
     * guarded. The filter keeps no guard: where there is one for each account, the application
     * finds the same one again for the same account. What the function throws goes to the
     * container.
     *
     * <p>Go by {@code getServletPath()} and {@code getPathInfo()}, which the container has decoded;
     * {@code getRequestURI()} has many spellings for one path, and the ones that the function does
     * not know would be unguarded.
     */
    public static FencingFilter guarding(
            Function<? super HttpServletRequest, Optional<Guarded>> guards) {
        return new FencingFilter(guards, true, true);
    }

    /** Asks one guard about every request but GET, HEAD, OPTIONS and TRACE. */
    public static FencingFilter guardingWrites(Guard<?> guard) {
        Optional<Guarded> guarded = Optional.of(Guarded.by(guard));
        return guarding(
                request -> READS.contains(request.getMethod()) ? Optional.empty() : guarded);
    }

    /**
     * Lets requests without a token through, unguarded and outside of any step: while clients are
     * being taught to send one.
     */
    public FencingFilter withTokenOptional() {
        return new FencingFilter(guards, false, inOneStep);
    }

    /**
     * Asks the guard first and then runs the handler, which may be asynchronous. A newer holder may
     * come in between, so this alone keeps nobody from overwriting its data: the handler passes
     * {@link #admission} on to the guard of its own write.
     */
    public FencingFilter withAdmissionOnly() {
        return new FencingFilter(guards, tokenRequired, false);
    }

    /**
     * What the request was admitted with. Empty if it came through unguarded or was refused, and when
     * its handler has returned, unless that goes on asynchronously.
     */
    public static Optional<Admission> admission(ServletRequest request) {
        return Optional.ofNullable((Admission) request.getAttribute(ADMISSION));
    }

    /**
     * What the guard of the request hands to a change: the object of a {@code MemoryGuard}, the
     * contents of a file, the connection of a JDBC guard's transaction. What the handler writes
     * there is one step with the mark; what it writes elsewhere is not. Use it until the handler
     * returns, on its thread.
     *
     * @param type of the guard's resource, such as {@code java.sql.Connection.class}
     * @return empty if the request came through unguarded, or {@linkplain #withAdmissionOnly with
     *     an admission only}
     * @throws IllegalArgumentException if the guard's resource is of another type
     */
    public static <R> Optional<R> resource(ServletRequest request, Class<R> type) {
        Object resource = request.getAttribute(RESOURCE);
        if (resource != null && !type.isInstance(resource)) {
            throw new IllegalArgumentException("the guard of this request hands over a "
                    + resource.getClass().getName() + ", which is no " + type.getName());
        }
        return Optional.ofNullable(type.cast(resource));
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http
                && response instanceof HttpServletResponse answer)) {
            throw new ServletException("FencingFilter guards HTTP requests only");
        }
        Optional<Guarded> guarded = guards.apply(http);
        if (guarded.isEmpty()) {
            chain.doFilter(request, response);
            return;
        }
        Reading reading = Reading.of(
                lines(http, FencingHeaders.TOKEN),
                lines(http, FencingHeaders.SCOPE),
                guarded.get());
        if (reading instanceof Reading.Presented presented) {
            present(presented.admission(), guarded.get(), http, answer, chain);
        } else if (reading instanceof Reading.Wrong wrong) {
            refuse(wrong.problem(), answer);
        } else if (tokenRequired) {
            refuse(Problem.missing(guarded.get()), answer);
        } else {
            chain.doFilter(request, response);
        }
    }

    /** Goes on if the guard admits, and answers for it if it does not. */
    private void present(
            Admission admission,
            Guarded guarded,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws IOException, ServletException {
        Optional<PassedGuard> earlier = PassedGuard.earlier(
                        request, this, guarded.guard(), admission)
                .filter(passed -> passed.isInOneStep() || !inOneStep);
        if (earlier.isPresent()) {
            goOn(earlier.get(), request, response, chain);
            return;
        }
        try {
            guarded.guard().admit(admission); // stays, whatever becomes of the change
            if (inOneStep) {
                Step step = Step.synchronous(chain, request, response);
                guarded.guard()
                        .write(
                                admission,
                                resource -> passedGuard(guarded, admission, resource, request)
                                        .during(request, step));
            } else {
                passedGuard(guarded, admission, null, request)
                        .during(request, Step.of(chain, request, response));
            }
        } catch (StaleTokenException e) {
            if (response.isCommitted()) {
                throw e; // by a guard that judges when the handler has returned
            }
            refuse(Problem.stale(guarded, e), response);
        } catch (ScopeMismatchException e) {
            refuse(Problem.notGuarded(guarded, admission, e), response);
        } catch (Step.Failure e) {
            Optional<StaleTokenException> stale = e.stale(admission.token());
            if (stale.isEmpty() || response.isCommitted()) {
                throw e.rethrow();
            }
            refuse(Problem.stale(guarded, stale.get()), response);
        }
    }

    private PassedGuard passedGuard(
            Guarded guarded,
            Admission admission,
            @Nullable Object resource,
            HttpServletRequest request) {
        return new PassedGuard(
                this, guarded.guard(), admission, resource, PassedGuard.last(request));
    }

    /** Goes on within a guard that the request has passed before. */
    private static void goOn(
            PassedGuard passed,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws IOException, ServletException {
        try {
            passed.during(request, Step.of(chain, request, response));
        } catch (Step.Failure e) {
            throw e.rethrow();
        }
    }

    private static void refuse(Problem problem, HttpServletResponse response) throws IOException {
        LOG.log(System.Logger.Level.DEBUG, () -> "refused a request: " + problem.json());
        byte[] body = problem.json().getBytes(US_ASCII);
        response.resetBuffer();
        response.setStatus(problem.status());
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setContentType(Problem.MEDIA_TYPE);
        response.setContentLength(body.length);
        try {
            response.getOutputStream().write(body);
        } catch (IllegalStateException e) {
            // someone before has taken the writer
            response.getWriter().write(problem.json());
        }
    }

    private static List<String> lines(HttpServletRequest request, String header) {
        return Collections.list(request.getHeaders(header));
    }
}
