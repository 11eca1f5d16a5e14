// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.Filter;
import jakarta.servlet.Servlet;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.Wrapper;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** A Tomcat with one servlet behind a filter, and a client to it. */
final class Server implements AutoCloseable {

    private static final Logger TOMCAT = Logger.getLogger("org.apache");
    private static final int HEADERS = 64 * 1024;

    private final Tomcat tomcat = new Tomcat();
    private final HttpClient client = HttpClient.newHttpClient();

    private Server() {}

    static Server start(Filter filter, Servlet servlet) {
        return start(servlet, filter);
    }

    /** With a filter that stands before requests twice, and before forwarded ones. */
    static Server startWithTwice(Filter filter, Servlet servlet) {
        return start(servlet, filter, filter);
    }

    private static Server start(Servlet servlet, Filter... filters) {
        // what handlers throw here is thrown on purpose
        TOMCAT.setUseParentHandlers(false);
        Server server = new Server();
        try {
            server.begin(servlet, filters);
        } catch (IOException | LifecycleException e) {
            throw new IllegalStateException(e);
        }
        return server;
    }

    private void begin(Servlet servlet, Filter... filters) throws IOException, LifecycleException {
        Path base = Files.createDirectories(Path.of("target", "tomcat").toAbsolutePath());
        tomcat.setBaseDir(base.toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.getConnector().setProperty("maxHttpHeaderSize", Integer.toString(HEADERS));
        tomcat.getConnector().setProperty("maxKeepAliveRequests", "-1");
        Context context = tomcat.addContext("", base.toString());
        Wrapper wrapper = Tomcat.addServlet(context, "servlet", servlet);
        wrapper.setAsyncSupported(true);
        context.addServletMappingDecoded("/*", "servlet");
        for (int i = 0; i < filters.length; i++) {
            add(filters[i], "fencing-" + i, context);
        }
        tomcat.start();
    }

    private static void add(Filter filter, String name, Context context) {
        FilterDef definition = new FilterDef();
        definition.setFilterName(name);
        definition.setFilter(filter);
        definition.setAsyncSupported("true");
        context.addFilterDef(definition);
        FilterMap everything = new FilterMap();
        everything.setFilterName(name);
        everything.addURLPattern("/*");
        everything.setDispatcher("REQUEST");
        everything.setDispatcher("FORWARD");
        context.addFilterMap(everything);
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + path));
    }

    HttpRequest.Builder put(String path, String body) {
        return request(path).PUT(HttpRequest.BodyPublishers.ofString(body));
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Sends header lines as they are, which a proper client would refuse to; gives the answer. */
    String sendRaw(String path, String... headers) {
        String request = "PUT " + path + " HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n"
                + "Connection: close\r\n" + String.join("\r\n", headers) + "\r\n\r\n";
        try (Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), tomcat.getConnector().getLocalPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(request.getBytes(UTF_8));
            out.flush();
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends a request with a body that is cut off after its first byte, and hangs up. */
    void hangUp(String path, String... headers) {
        String request = "PUT " + path + " HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n"
                + String.join("\r\n", headers) + "\r\n\r\nx";
        try (Socket socket = new Socket(
                InetAddress.getLoopbackAddress(), tomcat.getConnector().getLocalPort())) {
            socket.getOutputStream().write(request.getBytes(UTF_8));
            socket.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The problem in an answer, read by a parser that is not ours. */
    static Map<String, Object> problem(String body) {
        try {
            return new ObjectMapper().readValue(body, new TypeReference<>() {});
        } catch (IOException e) {
            throw new AssertionError(body, e);
        }
    }

    @Override
    public void close() {
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            throw new IllegalStateException(e);
        }
    }
}
