// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.http.FencingFilter;
import io.leasehold.http.FencingHeaders;
import io.leasehold.http.Guarded;
import io.leasehold.jdbc.TransactionGuard;
import io.leasehold.model.Scope;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The snippets of docs/guards/http.md: accounts that are written by {@code PUT /42}. */
final class HttpGuards {

    private final Map<String, String> balances = new ConcurrentHashMap<>();

    /** One guard for each account. */
    private final Map<String, Guard<?>> guards = Map.of(
            "/42", MemoryGuard.around("accounts/42", balances),
            "/43", MemoryGuard.around("accounts/43", balances));

    /** One guard for all accounts, with a mark for each. */
    private final Guard<Map<String, String>> accounts =
            MemoryGuard.around(Scope.subtree("/accounts"), balances);

    FencingFilter oneGuardForEach() {
        return FencingFilter.guarding(request -> request.getMethod().equals("PUT")
                ? Optional.ofNullable(guards.get(request.getPathInfo())).map(Guarded::by)
                : Optional.empty());
    }

    FencingFilter oneGuardForAll() {
        return FencingFilter.guarding(request -> request.getMethod().equals("PUT")
                        ? Optional.of(Guarded.by(accounts, account(request)))
                        : Optional.empty())
                .withAdmissionOnly();
    }

    private static Scope account(HttpServletRequest request) {
        return Scope.path("/accounts" + request.getPathInfo());
    }

    /** Stands behind {@link #oneGuardForEach}: it is inside the guard already. */
    final class Plain extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doPut(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            String balance = request.getReader().readLine();
            balances.put(request.getPathInfo(), balance);
        }
    }

    /** Stands behind {@link #oneGuardForAll}: it guards its own write. */
    final class Guarding extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doPut(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            String balance = request.getReader().readLine(); // however slow the client is
            Admission admission = FencingFilter.admission(request).orElseThrow();
            accounts.write(admission, all -> all.put(request.getPathInfo(), balance));
        }
    }

    static FencingFilter inTheTransaction(TransactionGuard ledger) {
        return FencingFilter.guardingWrites(ledger);
    }

    /** Stands behind {@link #inTheTransaction}: it writes in the guard's transaction. */
    static final class InTheTransaction extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doPut(HttpServletRequest request, HttpServletResponse response)
                throws IOException, ServletException {
            int balance = Integer.parseInt(request.getReader().readLine());
            Connection connection =
                    FencingFilter.resource(request, Connection.class).orElseThrow();
            try (PreparedStatement update =
                    connection.prepareStatement("update accounts set balance = ?")) {
                update.setInt(1, balance);
                update.executeUpdate(); // committed with the mark when the handler returns
            } catch (SQLException e) {
                throw new ServletException(e); // rolled back
            }
        }
    }

    String balance(String account) {
        return balances.getOrDefault(account, "none");
    }

    static int pay(Leasehold leasehold, HttpClient http, URI account)
            throws IOException, InterruptedException {
        try (Lease lease = leasehold.lock("accounts/42").acquire(Duration.ofSeconds(5))) {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(account).PUT(BodyPublishers.ofString("100"));
            HttpResponse<String> answer =
                    http.send(FencingHeaders.set(request, lease).build(), BodyHandlers.ofString());
            return FencingHeaders.check(answer).statusCode(); // or StaleTokenException
        }
    }
}
