// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.cli.json.Durations;
import io.leasehold.cli.json.Json;
import io.leasehold.model.Claim;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.LeaseView;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** Leases for people and for programs. Never a secret. */
final class LeaseText {

    private LeaseText() {}

    static Table table() {
        return new Table(
                "SCOPE", ">TOKEN", "HOLDER", "MODE", ">AGE", ">REMAINING", ">WAITERS", "STATE");
    }

    static void add(Table table, LeaseView view) {
        table.add(
                scopes(view.holding().claim()),
                view.holding().token(),
                view.holding().holder(),
                JournalJson.lower(view.holding().claim().mode()),
                DurationConverter.text(view.age()),
                DurationConverter.text(view.remaining()),
                view.waiters(),
                JournalJson.lower(view.status()));
    }

    static String scopes(Claim claim) {
        StringBuilder text = new StringBuilder();
        for (Scope scope : claim.scopes()) {
            text.append(text.length() == 0 ? "" : " ").append(scope);
        }
        return text.toString();
    }

    static Map<String, Object> json(LeaseView view) {
        Map<String, Object> json = json(view.holding());
        json.put("state", JournalJson.lower(view.status()));
        json.put("age", Durations.write(view.age()));
        json.put("remaining", Durations.write(view.remaining()));
        json.put("waiters", view.waiters());
        json.put(
                "record",
                view.record()
                        .map(record -> Json.object(
                                "kind",
                                JournalJson.lower(record.kind()),
                                "base64",
                                Base64.getEncoder().encodeToString(record.bytes()))));
        return json;
    }

    static Map<String, Object> json(Holding holding) {
        List<String> scopes =
                holding.claim().scopes().stream().map(Scope::toString).toList();
        return Json.object(
                "scopes", scopes,
                "mode", JournalJson.lower(holding.claim().mode()),
                "token", holding.token().toString(),
                "holder", holding.holder().label());
    }

    /** A record as text if it is one that a terminal may be shown, else its size. */
    static String text(LeaseRecord record) {
        try {
            String text =
                    UTF_8.newDecoder().decode(ByteBuffer.wrap(record.bytes())).toString();
            if (text.chars().noneMatch(Character::isISOControl)) {
                return text;
            }
        } catch (CharacterCodingException e) {
            // no text, so only its size is told
            return record.size() + " bytes";
        }
        return record.size() + " bytes";
    }
}
