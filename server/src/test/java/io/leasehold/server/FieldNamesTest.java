// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.server.access.AccessRule;
import io.leasehold.server.access.Security;
import io.leasehold.server.access.TokenFile;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A JSON request whose value breaks a rule of the model is told which field it was. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class FieldNamesTest {

    private static final String GRANT =
            "'grant':{'scopes':['name:a'],'token':'1','leaseId':'0123456789abcdef0123456789abcdef'";

    private final HttpClient client = HttpClient.newHttpClient();
    private TestServer server;
    private String secret;

    @SuppressWarnings("NullAway.Init")
    FieldNamesTest() {}

    @BeforeAll
    void start(@TempDir Path directory) {
        Path tokens = directory.resolve("tokens");
        secret = TokenFile.at(tokens).create("root", List.of(AccessRule.parse("*=admin")));
        server = TestServer.start(TestServer.options("memory")
                .withSecurity(new Security(
                        Optional.of(tokens), Optional.empty(), Optional.empty(), false)));
    }

    @AfterAll
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'ttl':'86401s'            | 'ttl' is 86401s; it must be at most 86400s",
                "'ttl':'0.010s'            | 'ttl' is 0.01s; it must be at least 0.1s",
                "'wait':'601s'             | 'wait' is 601s; it must be at most 600s",
                "'wait':'-1s'              | 'wait' is -1s; it must be at least 0s",
                "'lockDelay':'60.5s'       | 'lockDelay' is 60.5s; it must be at most 60s",
            })
    void aDurationBeyondItsLimitIsToldInTheUnitOfTheApi(String field, String told)
            throws Exception {
        HttpResponse<String> response = post("acquire", "{'scopes':['name:a']," + field + "}");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains(told).contains("\"reason\":\"INVALID\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "acquire | {} | 'scopes'",
                "acquire | {'scopes':['path:relative']} | 'scopes'",
                "acquire | {'scopes':['name:a'],'holder':'\\n'} | 'holder'",
                "acquire | {'scopes':['name:a'],'leaseId':'short'} | 'leaseId'",
                "acquire | {'scopes':['name:a'],'unlessCompletedSince':'-1'}"
                        + " | 'unlessCompletedSince'",
                "renew | {'renewals':[{" + GRANT + "},'ttl':'0s'}]} | 'renewals[0].ttl'",
                "renew | {'renewals':[{'grant':{'scopes':['name:a'],'token':'0'}}]}"
                        + " | 'renewals[0].grant.token'",
                "rotate | {" + GRANT + ",'ttl':'0s'}} | 'grant.ttl'",
                "release | {'grant':{}} | 'grant.scopes'",
                "complete | {" + GRANT + "},'keepFor':'99999999s'} | 'keepFor'",
                "force-release | {'scope':'path:x','token':'1'} | 'scope'",
                "force-release | {'scope':'name:a'} | 'token'",
                "admit | {'resource':'','token':'1'} | 'resource'",
                "admit | {'resource':'a'} | 'token'",
                "acquire | {'namespace':'A B','scopes':['name:a']} | 'namespace'",
                "withdraw | {'namespace':'A B','scopes':['name:a'],'leaseId':'"
                        + "0123456789abcdef0123456789abcdef'} | 'namespace'",
                "renew | {'namespace':'A B'} | 'namespace'",
                "admit | {'namespace':'A B','resource':'a','token':'1'} | 'namespace'",
                "tokens | {} | 'rules'",
                "tokens | {'name':'a b','rules':[{'namespaces':'a','permissions':['READ']}]}"
                        + " | 'name'",
                "tokens | {'name':'a','rules':[{'namespaces':'a','permissions':['READ']},"
                        + "{'namespaces':'A B','permissions':['READ']}]} | 'rules[1]'",
                "tokens | {'name':'a','rules':[{'namespaces':'a'}]} | 'rules[0]'",
            })
    void whatBreaksARuleNamesItsField(String call, String body, String field) throws Exception {
        HttpResponse<String> response = post(call, body);

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(response.body()).contains("the field " + field);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "leases?overlapping=path:x",
                "leases?after=-1",
                "leases?limit=100000",
                "check?scope=name:a&token=0",
                "watch?overlapping=path:x",
                "leases?namespace=A",
                "check?scope=name:a&token=1&namespace=A",
                "info?namespace=A",
                "watch?namespace=A"
            })
    void whatBreaksARuleInAQueryNamesItsField(String query) throws Exception {
        String field = query.replaceAll(".*[?&](\\w+)=.*", "$1");
        HttpResponse<String> response = send(request(query).GET());

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(response.body()).contains("the field '" + field + "'");
    }

    private HttpResponse<String> post(String call, String body)
            throws IOException, InterruptedException {
        return send(request(call)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.replace('\'', '"'))));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + server.server().port() + "/v1/" + path))
                .header("Authorization", "Bearer " + secret)
                .timeout(Duration.ofSeconds(30));
    }

    private HttpResponse<String> send(HttpRequest.Builder request)
            throws IOException, InterruptedException {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
