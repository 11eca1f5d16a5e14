// SPDX-License-Identifier: Apache-2.0
package io.leasehold.client;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where servers are and which of their namespaces is meant, as {@code
 * leasehold://host[:port][,host2[:port2]…][/namespace]} says, or {@code leaseholds://…} for TLS.
 *
 * @param servers one or more, of which the first that answers is used
 * @param namespace the unit of token order and of permissions; {@code default} if not said
 * @param tls whether the connection is secured
 */
public record RemoteAddress(List<Server> servers, String namespace, boolean tls) {

    /** The port of a server that names none. */
    public static final int DEFAULT_PORT = 5327;

    /** The most servers of one address. */
    public static final int MAX_SERVERS = 16;

    private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9][a-z0-9._-]{0,62}");
    private static final Pattern SERVER = Pattern.compile(
            "(?<host>[A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.%]+])(?::(?<port>[0-9]{1,5}))?");

    private static final String OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final Pattern LOOPBACK =
            Pattern.compile("localhost|\\[::1]|127(?:\\." + OCTET + "){3}");

    /**
     * One server.
     *
     * @param host its name or address; an IPv6 address in brackets
     * @param port 1 to 65535
     */
    public record Server(String host, int port) {

        public Server {
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException("port " + port + " is not within 1 to 65535");
            }
        }

        static Server parse(String text) {
            Matcher parts = SERVER.matcher(text);
            if (!parts.matches()) {
                throw new IllegalArgumentException(
                        "not a host, or host:port, in an address of servers: '" + text + "'");
            }
            String port = parts.group("port");
            return new Server(
                    parts.group("host"), port == null ? DEFAULT_PORT : Integer.parseInt(port));
        }

        /** Whether it is this machine for certain: a name may begin as an address does. */
        boolean isLoopback() {
            return LOOPBACK.matcher(host).matches();
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    public RemoteAddress {
        servers = List.copyOf(servers);
        if (servers.isEmpty() || servers.size() > MAX_SERVERS) {
            throw new IllegalArgumentException(
                    servers.size() + " servers in an address; it must be 1 to " + MAX_SERVERS);
        }
        if (!NAMESPACE.matcher(namespace).matches()) {
            throw new IllegalArgumentException(
                    "a namespace has 1 to 63 lower-case letters, digits and . _ -, and begins with a"
                            + " letter or digit");
        }
    }

    /** Reads an address as it is written. */
    public static RemoteAddress parse(String text) {
        boolean tls = text.startsWith("leaseholds://");
        if (!tls && !text.startsWith("leasehold://")) {
            throw new IllegalArgumentException(
                    "an address of servers begins with leasehold:// or, for TLS, leaseholds://");
        }
        String rest = text.substring(text.indexOf("//") + 2);
        int slash = rest.indexOf('/');
        String hosts = slash < 0 ? rest : rest.substring(0, slash);
        String namespace = slash < 0 ? "" : rest.substring(slash + 1);
        List<Server> servers = new ArrayList<>();
        for (String host : hosts.split(",", -1)) {
            servers.add(Server.parse(host));
        }
        return new RemoteAddress(servers, namespace.isEmpty() ? "default" : namespace, tls);
    }

    @Override
    public String toString() {
        List<String> names = servers.stream().map(Server::toString).toList();
        return (tls ? "leaseholds://" : "leasehold://") + String.join(",", names) + "/" + namespace;
    }
}
