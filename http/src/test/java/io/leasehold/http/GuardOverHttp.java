// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A guard whose every change is a request to a server in front of which the filter stands. Server
 * and client are one process, so the change itself goes by reference: the handler finds it under
 * the number in the path, and runs it with what the guard behind the filter hands over.
 */
final class GuardOverHttp<R> implements Guard<R>, AutoCloseable {

    private final Class<R> type;
    private final Guard<R> behind;
    private final Server server;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<String, Call<R>> calls = new ConcurrentHashMap<>();

    private GuardOverHttp(Class<R> type, Guard<R> behind) {
        this.type = type;
        this.behind = behind;
        this.server = Server.start(
                FencingFilter.guarding(request -> Optional.of(Guarded.by(behind, target(request)))),
                new Handler());
    }

    static <R> GuardOverHttp<R> to(Class<R> type, Guard<R> behind) {
        return new GuardOverHttp<>(type, behind);
    }

    @Override
    public Scope resource() {
        return behind.resource();
    }

    @Override
    public <T> T change(Admission admission, Function<? super R, ? extends T> change) {
        String path = "/" + numbers.incrementAndGet();
        Call<R> call = new Call<>(change);
        calls.put(path, call);
        String target = URLEncoder.encode(admission.target().toString(), UTF_8);
        HttpRequest.Builder request = server.put(path + "?target=" + target, "");
        FencingHeaders.check(server.send(FencingHeaders.set(request, admission)));
        if (call.thrown != null) {
            throw call.thrown;
        }
        @SuppressWarnings("unchecked")
        T result = (T) Optional.ofNullable(call.result).orElseThrow();
        return result;
    }

    @Override
    public Optional<FencingToken> mark(Scope part) {
        return behind.mark(part);
    }

    @Override
    public void close() {
        server.close();
    }

    private static Scope target(HttpServletRequest request) {
        return Scope.parse(
                URLDecoder.decode(request.getQueryString().substring("target=".length()), UTF_8));
    }

    /** A change on its way, and how it ended. */
    private static final class Call<R> {
        private final Function<? super R, ?> change;
        private volatile @Nullable Object result;
        private volatile @Nullable RuntimeException thrown;

        Call(Function<? super R, ?> change) {
            this.change = change;
        }
    }

    private final class Handler extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doPut(HttpServletRequest request, HttpServletResponse response) {
            Call<R> call =
                    Optional.ofNullable(calls.remove(request.getPathInfo())).orElseThrow();
            try {
                call.result =
                        call.change.apply(FencingFilter.resource(request, type).orElseThrow());
            } catch (RuntimeException e) {
                call.thrown = e;
                throw e;
            }
        }
    }
}
