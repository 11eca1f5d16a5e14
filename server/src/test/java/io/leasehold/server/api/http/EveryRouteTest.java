// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import static io.leasehold.server.api.http.Web.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.api.HttpRule;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.linecorp.armeria.common.HttpMethod;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.LeaseholdProto;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every route of the protocol with all that it can answer, by real calls. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class EveryRouteTest {

    private static final Map<Failure.Kind, Integer> STATUS = new EnumMap<>(Map.of(
            Failure.Kind.INVALID, 400,
            Failure.Kind.UNAUTHENTICATED, 401,
            Failure.Kind.PERMISSION_DENIED, 403,
            Failure.Kind.LIMIT_EXCEEDED, 429,
            Failure.Kind.UNAVAILABLE, 503,
            Failure.Kind.OUTCOME_UNKNOWN, 504));

    private Web web = Web.start();

    /** A method with its route. */
    record Route(String name, HttpMethod verb, String path) {}

    static List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        for (ServiceDescriptor service : LeaseholdProto.getDescriptor().getServices()) {
            for (MethodDescriptor method : service.getMethods()) {
                Endpoint.rule(method)
                        .filter(rule -> !method.isServerStreaming())
                        .ifPresent(rule -> routes.add(route(method, rule)));
            }
        }
        return routes;
    }

    private static Route route(MethodDescriptor method, HttpRule rule) {
        return new Route(method.getName(), Endpoint.verb(rule), Endpoint.path(rule));
    }

    @BeforeAll
    void start() {
        assertThat(STATUS.keySet()).hasSize(Failure.Kind.values().length - 2);
    }

    @AfterAll
    void stop() {
        web.close();
    }

    @Test
    void everyAnnotatedMethodHasItsCases() {
        assertThat(Cases.ALL.keySet())
                .containsExactlyInAnyOrderElementsOf(
                        routes().stream().map(Route::name).toList());
    }

    @ParameterizedTest
    @MethodSource("routes")
    void everyReplyHasItsStatusAndReason(Route route) {
        for (Cases.Reply reply : cases(route).replies()) {
            web.operations.answers(reply.message());
            HttpResponse<String> response = call(route, cases(route).sample());

            assertThat(response.statusCode()).describedAs("%s", reply).isEqualTo(reply.status());
            assertThat(response.headers().firstValue("cache-control")).contains("no-store");
            assertThat(response.headers().firstValue("x-content-type-options")).contains("nosniff");
            if (reply.status() == 200) {
                assertThat(response.headers().firstValue("content-type"))
                        .contains("application/json");
                assertThat(response.body()).startsWith("{").doesNotContain("\"reason\":\"HELD\"");
            } else {
                JsonNode problem = problem(response, reply.status(), reply.reason());
                assertThat(problem.get("reply").isObject()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void everyFailureHasItsStatusAndReason(Route route) {
        STATUS.forEach((kind, status) -> {
            web.operations.fails(Web.failure(kind));
            HttpResponse<String> response = call(route, cases(route).sample());

            JsonNode problem = problem(response, status, kind.name());
            assertThat(problem.get("detail").asText()).isEqualTo("so it was said");
            assertThat(response.headers().firstValue("retry-after").isPresent())
                    .isEqualTo(status == 503 || status == 429);
            assertThat(response.headers().firstValue("www-authenticate").isPresent())
                    .isEqualTo(status == 401);
        });
    }

    @ParameterizedTest
    @MethodSource("routes")
    void anErrorOfTheServerTellsNothingOfIt(Route route) {
        web.operations.fails(new IllegalStateException("secret of the house"));
        HttpResponse<String> response = call(route, cases(route).sample());

        problem(response, 500, "INTERNAL");
        assertThat(response.body()).doesNotContain("secret of the house");
    }

    @ParameterizedTest
    @MethodSource("routes")
    void whoeverCantSayWhoTheyAreIsNotHeard(Route route) {
        web.operations.asked.clear();
        var request = web.request(route.path()).header("Authorization", "Bearer nobody");
        if (route.verb() == HttpMethod.POST) {
            request.header("Content-Type", "application/json").POST(BodyPublishers.ofString("{}"));
        }
        problem(web.send(request), 401, "UNAUTHENTICATED");
        assertThat(web.operations.asked).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("routes")
    void anUnknownFieldIsNamed(Route route) {
        HttpResponse<String> response = route.verb() == HttpMethod.GET
                ? web.get(route.path() + "?nonsense=1")
                : web.post(route.path(), "{\"nonsense\":1}");

        JsonNode problem = problem(response, 400, "INVALID");
        assertThat(problem.get("detail").asText()).contains("'nonsense'");
    }

    @ParameterizedTest
    @MethodSource("routes")
    void aNumberThatIsNoneIsNamed(Route route) {
        String field = cases(route).number();
        if (!field.isEmpty()) {
            HttpResponse<String> response = route.verb() == HttpMethod.GET
                    ? web.get(route.path() + "?" + field + "=many")
                    : web.post(route.path(), "{\"" + field + "\":\"many\"}");

            JsonNode problem = problem(response, 400, "INVALID");
            assertThat(problem.get("detail").asText()).contains("'" + field + "'", "whole number");
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void whatIsNotJsonIsRefused(Route route) {
        if (route.verb() == HttpMethod.POST) {
            List.of(
                            "",
                            "{",
                            "{\"a\"",
                            "nonsense",
                            "[]",
                            "7",
                            "null",
                            "{} {}",
                            "{}x",
                            "{'a':1}",
                            "{//\n}")
                    .forEach(body -> problem(web.post(route.path(), body), 400, "INVALID"));
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void fieldsOfAPostAreNotTakenFromTheAddress(Route route) {
        if (route.verb() == HttpMethod.POST) {
            problem(web.post(route.path() + "?namespace=x", "{}"), 400, "INVALID");
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void aBodyThatIsTooLargeIsRefused(Route route) {
        if (route.verb() == HttpMethod.POST) {
            String body = "{\"x\":\"" + "x".repeat(HttpRoutes.MAX_BODY) + "\"}";
            problem(web.post(route.path(), body), 413, "TOO_LARGE");
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void onlyJsonIsTaken(Route route) {
        if (route.verb() == HttpMethod.POST) {
            web.operations.answers(cases(route).replies().get(0).message());
            String sample = cases(route).sample();
            List.of("text/plain", "application/xml", "multipart/form-data; boundary=x")
                    .forEach(type -> problem(
                            web.send(web.request(route.path())
                                    .header("Content-Type", type)
                                    .POST(BodyPublishers.ofString(sample))),
                            415,
                            "UNSUPPORTED_MEDIA_TYPE"));
            problem(
                    web.send(web.request(route.path()).POST(BodyPublishers.ofString(sample))),
                    415,
                    "UNSUPPORTED_MEDIA_TYPE");
            assertThat(form(route, sample, "X-Nothing").statusCode()).isEqualTo(200);
            problem(form(route, sample, "Origin"), 415, "UNSUPPORTED_MEDIA_TYPE");
            problem(form(route, sample, "Sec-Fetch-Site"), 415, "UNSUPPORTED_MEDIA_TYPE");
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void otherMethodsAreRefusedWithThoseThatAreAllowed(Route route) {
        HttpResponse<String> response =
                web.send(web.request(route.path()).method("DELETE", BodyPublishers.noBody()));
        problem(response, 405, "METHOD_NOT_ALLOWED");
        assertThat(response.headers().firstValue("allow").orElse(""))
                .contains(route.verb().name(), "OPTIONS");
    }

    @ParameterizedTest
    @MethodSource("routes")
    void optionsTellTheMethodsAndNothingToOtherSites(Route route) {
        HttpResponse<String> response = web.send(web.request(route.path())
                .header("Origin", "http://elsewhere.example")
                .method("OPTIONS", BodyPublishers.noBody()));
        assertThat(response.statusCode()).isEqualTo(204);
        assertThat(response.headers().firstValue("allow").orElse(""))
                .contains(route.verb().name());
        assertThat(response.headers().map().keySet())
                .noneMatch(name -> name.startsWith("access-control"));
    }

    @ParameterizedTest
    @MethodSource("routes")
    void headIsAGetWithoutABody(Route route) {
        web.operations.answers(cases(route).replies().get(0).message());
        HttpResponse<String> response = web.send(
                web.request(route.path() + query(route)).method("HEAD", BodyPublishers.noBody()));
        boolean readable = routes().stream()
                .anyMatch(other ->
                        other.path().equals(route.path()) && other.verb() == HttpMethod.GET);
        if (route.verb() == HttpMethod.GET) {
            assertThat(response.statusCode()).isEqualTo(200);
        } else if (!readable) {
            assertThat(response.statusCode()).isEqualTo(405);
        }
        assertThat(response.body()).isEmpty();
    }

    private HttpResponse<String> form(Route route, String sample, String header) {
        return web.send(web.request(route.path())
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header(header, "http://elsewhere.example")
                .POST(BodyPublishers.ofString(sample)));
    }

    private static Cases.Case cases(Route route) {
        return java.util.Objects.requireNonNull(Cases.ALL.get(route.name()), route.name());
    }

    private static String query(Route route) {
        return route.verb() == HttpMethod.GET ? cases(route).sample() : "";
    }

    private HttpResponse<String> call(Route route, String sample) {
        return route.verb() == HttpMethod.GET
                ? web.get(route.path() + sample)
                : web.post(route.path(), sample);
    }

    private static JsonNode problem(HttpResponse<String> response, int status, String reason) {
        assertThat(response.statusCode()).describedAs(response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("content-type"))
                .contains("application/problem+json");
        JsonNode problem = json(response);
        assertThat(problem.get("reason").asText()).isEqualTo(reason);
        assertThat(problem.get("status").asInt()).isEqualTo(status);
        assertThat(problem.get("type").asText()).startsWith("urn:leasehold:");
        assertThat(problem.get("title").asText()).isNotBlank();
        assertThat(problem.get("detail").asText()).isNotBlank();
        return problem;
    }
}
