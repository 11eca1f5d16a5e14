// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import io.leasehold.model.FencingToken;
import io.leasehold.model.StaleTokenException;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;

import java.io.IOException;
import java.util.Optional;

/**
 * The rest of the chain, to be run by a guard or behind one. What it throws comes out as a {@link
 * Failure}, so that it is never taken for the guard's own word. Used by one thread, once.
 */
final class Step {

    private final FilterChain chain;
    private final ServletRequest request;
    private final ServletResponse response;
    private boolean begun;

    private Step(FilterChain chain, ServletRequest request, ServletResponse response) {
        this.chain = chain;
        this.request = request;
        this.response = response;
    }

    static Step of(FilterChain chain, HttpServletRequest request, ServletResponse response) {
        return new Step(chain, request, response);
    }

    /** One that is over when {@link #run} returns: it can't be continued asynchronously. */
    static Step synchronous(
            FilterChain chain, HttpServletRequest request, ServletResponse response) {
        return new Step(chain, new Synchronous(request), response);
    }

    /** Runs the rest of the chain; never twice, whatever the guard thinks of repeating a change. */
    void run() {
        if (begun) {
            throw new IllegalStateException("the guard ran the change a second time; a request can"
                    + " be handled once only: use withAdmissionOnly()");
        }
        begun = true;
        try {
            chain.doFilter(request, response);
        } catch (Throwable e) {
            throw new Failure(e);
        }
    }

    /** What the chain has thrown. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final Throwable thrown;

        Failure(Throwable thrown) {
            super("the guarded request failed", thrown, false, false);
            this.thrown = thrown;
        }

        /** The refusal of a guard that was asked about the token, if that is what it is. */
        Optional<StaleTokenException> stale(FencingToken token) {
            Throwable cause = thrown instanceof ServletException ? thrown.getCause() : thrown;
            return cause instanceof StaleTokenException stale && stale.token().equals(token)
                    ? Optional.of(stale)
                    : Optional.empty();
        }

        /** Throws it again, unchanged. */
        RuntimeException rethrow() throws IOException, ServletException {
            if (thrown instanceof IOException e) {
                throw e;
            }
            if (thrown instanceof ServletException e) {
                throw e;
            }
            throw Failure.<RuntimeException>undeclared(thrown);
        }

        /** Unchecked, or thrown by code that does not care for what it declares. */
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <E extends Throwable> E undeclared(Throwable thrown) throws E {
            throw (E) thrown;
        }
    }

    /** A request that must be answered before its handler returns. */
    private static final class Synchronous extends HttpServletRequestWrapper {

        Synchronous(HttpServletRequest request) {
            super(request);
        }

        @Override
        public boolean isAsyncSupported() {
            return false;
        }

        @Override
        public AsyncContext startAsync() {
            throw refusal();
        }

        @Override
        public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
            throw refusal();
        }

        private static IllegalStateException refusal() {
            return new IllegalStateException("the request is handled in one step with the check of"
                    + " its token, which ends when the handler returns: answer before that, or use"
                    + " FencingFilter.withAdmissionOnly() and guard the write itself");
        }
    }
}
