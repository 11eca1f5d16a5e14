// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.guard.MemoryGuard;
import io.leasehold.model.FencingToken;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Two ledgers, each a text with its own guard: {@code PUT /1} writes, {@code GET /1} reads. */
final class Ledgers extends HttpServlet {

    private static final long serialVersionUID = 1;

    private final transient Map<String, MemoryGuard<String>> guards = Map.of(
            "/1", MemoryGuard.around("ledger/1", "/1"), "/2", MemoryGuard.around("ledger/2", "/2"));
    private final transient Map<String, String> texts = new ConcurrentHashMap<>();

    /** What happens in a write before the text is replaced. */
    private final transient Before before;

    interface Before {
        void write(HttpServletRequest request, HttpServletResponse response)
                throws IOException, ServletException;
    }

    Ledgers() {
        this((request, response) -> {});
    }

    Ledgers(Before before) {
        this.before = before;
    }

    /** Every write, by the ledger it goes to. */
    FencingFilter filter() {
        return FencingFilter.guarding(request -> request.getMethod().equals("GET")
                ? Optional.empty()
                : Optional.ofNullable(guards.get(request.getPathInfo())).map(Guarded::by));
    }

    MemoryGuard<String> guard(String path) {
        return Optional.ofNullable(guards.get(path)).orElseThrow();
    }

    String text(String path) {
        return texts.getOrDefault(path, "");
    }

    Optional<FencingToken> mark(String path) {
        return guard(path).mark();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.getWriter().write(text(request.getPathInfo()));
    }

    @Override
    protected void doPut(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        String body = new String(request.getInputStream().readAllBytes(), UTF_8);
        before.write(request, response);
        texts.put(request.getPathInfo(), body);
        if (response.isCommitted()) {
            return; // answered by the part that the request was forwarded to
        }
        String token = FencingFilter.admission(request)
                .map(admission -> admission.token().toString())
                .orElse("none");
        response.getWriter().write("token " + token);
    }
}
