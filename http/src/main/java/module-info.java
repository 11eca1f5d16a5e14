// SPDX-License-Identifier: Apache-2.0
/**
 * Guards of HTTP endpoints: a servlet filter for the server, headers for the client. The servlet
 * API is needed by the filter alone; whoever has a filter has a container that brings it.
 */
module io.leasehold.http {
    requires transitive io.leasehold.core;
    requires transitive java.net.http;
    requires static transitive jakarta.servlet;
    requires static transitive org.jspecify;

    exports io.leasehold.http;
}
