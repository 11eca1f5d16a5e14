// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.Leasehold;
import io.leasehold.http.FencingFilter;
import io.leasehold.http.FencingHeaders;
import io.leasehold.jdbc.JdbcGuard;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.FencingToken;
import io.leasehold.model.ScopeMismatchException;
import jakarta.servlet.Servlet;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HttpGuardsTest {

    private static final Logger TOMCAT = Logger.getLogger("org.apache");

    private final HttpGuards accounts = new HttpGuards();
    private final HttpClient http = HttpClient.newHttpClient();
    private final Tomcat tomcat = new Tomcat();

    @TempDir
    private Path directory = Path.of("");

    @AfterEach
    void stop() throws LifecycleException {
        tomcat.stop();
        tomcat.destroy();
    }

    @Test
    void aHandlerInsideTheGuardIsSafeFromLateWriters() throws Exception {
        URI account = serve(accounts.oneGuardForEach(), accounts.new Plain()).resolve("/42");
        try (Leasehold leasehold = Leasehold.on(MemoryLeaseStore.create())) {
            // token 1
            leasehold.lock("accounts/42").tryAcquire().orElseThrow().close();

            assertThat(HttpGuards.pay(leasehold, http, account)).isEqualTo(200);
            assertThat(put(account, 1, "late")).isEqualTo(409);
            assertThat(accounts.balance("/42")).isEqualTo("100");
            assertThatExceptionOfType(ScopeMismatchException.class)
                    .isThrownBy(() -> HttpGuards.pay(leasehold, http, account.resolve("/43")));
        }
    }

    @Test
    void aHandlerThatGuardsItsOwnWriteIsSafeFromLateWriters() throws Exception {
        URI account = serve(accounts.oneGuardForAll(), accounts.new Guarding()).resolve("/42");

        assertThat(put(account, 2, "200")).isEqualTo(200);
        assertThat(put(account, 1, "late")).isEqualTo(409);
        assertThat(put(account.resolve("/43"), 1, "other")).isEqualTo(200);
        assertThat(accounts.balance("/42")).isEqualTo("200");
    }

    @Test
    void aHandlerThatTakesTheTransactionIsSafeFromLateWriters() throws Exception {
        JdbcDataSource database = new JdbcDataSource();
        database.setUrl("jdbc:h2:mem:http");
        JdbcGuard guard = JdbcGuard.create();
        try (Connection open = database.getConnection();
                Statement statement = open.createStatement()) {
            guard.createSchema(open);
            statement.execute("create table accounts (balance int)");
            statement.execute("insert into accounts values (100)");
            FencingFilter filter = HttpGuards.inTheTransaction(guard.on(database, "ledger"));
            URI account = serve(filter, new HttpGuards.InTheTransaction());

            assertThat(put(account, 2, "200")).isEqualTo(200);
            assertThat(put(account, 3, "not a number")).isEqualTo(500);
            assertThat(put(account, 2, "late")).isEqualTo(409);
            try (ResultSet rows = statement.executeQuery("select balance from accounts")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(200);
            }
        }
    }

    private int put(URI account, long token, String balance) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(account).PUT(BodyPublishers.ofString(balance));
        return http.send(
                        FencingHeaders.set(request, new FencingToken(token)).build(),
                        BodyHandlers.discarding())
                .statusCode();
    }

    private URI serve(FencingFilter filter, Servlet servlet) throws LifecycleException {
        // it warns of what the JVM does not open to it
        TOMCAT.setUseParentHandlers(false);
        tomcat.setBaseDir(directory.toString());
        tomcat.setPort(0);
        Context context = tomcat.addContext("", directory.toString());
        Tomcat.addServlet(context, "accounts", servlet);
        context.addServletMappingDecoded("/*", "accounts");
        FilterDef fencing = new FilterDef();
        fencing.setFilterName("fencing");
        fencing.setFilter(filter);
        context.addFilterDef(fencing);
        FilterMap everything = new FilterMap();
        everything.setFilterName("fencing");
        everything.addURLPattern("/*");
        context.addFilterMap(everything);
        tomcat.start();
        return URI.create("http://localhost:" + tomcat.getConnector().getLocalPort() + "/");
    }
}
