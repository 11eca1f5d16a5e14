// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.http.ServerApi;
import io.leasehold.cli.json.Json;
import io.leasehold.cli.json.JsonObject;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The bearer tokens of a server. */
interface Tokens {

    /**
     * A token without its secret.
     *
     * @param name the principal's
     * @param rules what it permits
     */
    record View(String name, List<TokenRule> rules) {

        Map<String, Object> json() {
            return Json.object(
                    "name", name, "rules", rules.stream().map(TokenRule::json).toList());
        }
    }

    /** Makes one, and returns its secret. */
    String create(String name, List<TokenRule> rules);

    List<View> list();

    /** Makes it worthless; false if there was none. */
    boolean revoke(String name);

    /** Those of a running server. */
    final class OfServer implements Tokens {

        private static final Duration PATIENCE = Duration.ofSeconds(10);

        private final ServerApi api;

        OfServer(ServerApi api) {
            this.api = api;
        }

        @Override
        public String create(String name, List<TokenRule> rules) {
            Map<String, Object> fields = Json.object(
                    "name", name, "rules", rules.stream().map(TokenRule::json).toList());
            return api.post("/v1/tokens", fields, PATIENCE).reply("token").text("token");
        }

        @Override
        public List<View> list() {
            List<View> tokens = new ArrayList<>();
            JsonObject reply = api.get("/v1/tokens", Json.object(), PATIENCE).reply("tokens");
            for (JsonObject token : reply.objects("tokens")) {
                tokens.add(new View(
                        token.text("name"),
                        token.objects("rules").stream().map(TokenRule::of).toList()));
            }
            return tokens;
        }

        @Override
        public boolean revoke(String name) {
            return api.post("/v1/tokens/revoke", Json.object("name", name), PATIENCE)
                    .reply("revoked")
                    .flag("revoked");
        }
    }
}
