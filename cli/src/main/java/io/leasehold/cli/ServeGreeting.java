// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.access.Security;
import io.leasehold.server.engine.StoreAddress;
import io.leasehold.spi.Guarantees;

import java.io.PrintWriter;

/** What a person needs to know of a server that has just started, a line for each thing. */
final class ServeGreeting {

    private final PrintWriter out;

    ServeGreeting(PrintWriter out) {
        this.out = out;
    }

    void print(ServerOptions options, LeaseholdServer server) {
        Security security = options.security();
        String host = options.listen().host();
        String address = (security.tls().isPresent() ? "https://" : "http://")
                + (host.contains(":") ? "[" + host + "]" : host)
                + ":" + server.port();
        line("address", address + " (gRPC and JSON; try curl " + address + "/v1/info)");
        line("engine", engine(server.guarantees()));
        server.guarantees().caveats().forEach(caveat -> line("caveat", caveat));
        line("data", data(options.store()));
        line("security", security(security));
        line("stop", "Ctrl-C, or kill " + ProcessHandle.current().pid());
        out.flush();
    }

    private void line(String what, String text) {
        out.println(String.format("%-9s %s", what, text));
    }

    private static String engine(Guarantees guarantees) {
        return guarantees.engine()
                + (guarantees.durable()
                        ? ": leases survive a crash of the server"
                        : ": leases do not survive a crash")
                + (guarantees.survivesFailover() ? " and the loss of a machine" : "")
                + (guarantees.clock() == Guarantees.Clock.MONOTONIC
                        ? "; time is monotonic"
                        : "; time is the store's wall clock, which must not be stepped")
                + (guarantees.fairQueue() ? "; who waits first is served first" : "");
    }

    private static String data(StoreAddress store) {
        if (store instanceof StoreAddress.Journal journal) {
            return journal.directory().toAbsolutePath().normalize()
                    + " (holds lease ids: keep it from other users)";
        }
        return store instanceof StoreAddress.Memory
                ? "nowhere: all is gone when the server ends"
                : "in " + store;
    }

    private static String security(Security security) {
        String transport = security.tls().isPresent() ? "TLS" : "no TLS";
        String identity = security.tokens()
                .map(file -> "principals of " + file)
                .orElse("no tokens: everyone who reaches this address may do everything");
        String reach = security.insecure() ? "; --insecure was given" : "";
        return transport
                + ", "
                + identity
                + (security.tls().flatMap(Security.Tls::clientAuthority).isPresent()
                        ? ", by token or certificate"
                        : "")
                + reach;
    }
}
