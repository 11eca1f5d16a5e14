// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli.http;

import io.leasehold.cli.json.Durations;
import io.leasehold.cli.json.Json;
import io.leasehold.model.Claim;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.Scope;
import io.leasehold.spi.Grant;
import io.leasehold.spi.LeaseQuery;
import io.leasehold.spi.LeaseRequest;
import io.leasehold.spi.RenewalRequest;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/** Requests as protobuf's JSON has them. */
final class ToJson {

    private ToJson() {}

    static Map<String, Object> acquire(String namespace, LeaseRequest request) {
        LeaseRequest.Terms terms = request.terms();
        Map<String, Object> json = Json.object(
                "namespace", namespace,
                "leaseId", request.id().reveal(),
                "scopes", scopes(request.claim()),
                "mode", request.claim().mode(),
                "holder", request.holder().label(),
                "ttl", Durations.write(terms.ttl()),
                "wait", Durations.write(terms.waitAtMost()),
                "lockDelay", Durations.write(terms.lockDelay()));
        terms.record().ifPresent(record -> json.put("record", record(record)));
        terms.unlessCompletedSince()
                .ifPresent(token -> json.put("unlessCompletedSince", token.toString()));
        return json;
    }

    static Map<String, Object> renew(String namespace, List<RenewalRequest> requests) {
        List<Object> renewals = new ArrayList<>();
        for (RenewalRequest request : requests) {
            Map<String, Object> renewal = Json.object("grant", grant(request.grant()));
            request.ttl().ifPresent(ttl -> renewal.put("ttl", Durations.write(ttl)));
            request.expectedVersion()
                    .ifPresent(version -> renewal.put("expectedVersion", Long.toString(version)));
            renewals.add(renewal);
        }
        return Json.object("namespace", namespace, "renewals", renewals);
    }

    static Map<String, Object> grant(Grant grant) {
        return Json.object(
                "scopes", scopes(grant.holding().claim()),
                "mode", grant.holding().claim().mode(),
                "token", grant.token().toString(),
                "leaseId", grant.id().reveal(),
                "holder", grant.holding().holder().label(),
                "ttl", Durations.write(grant.ttl()));
    }

    static Map<String, Object> list(String namespace, LeaseQuery query) {
        return Json.object(
                "namespace", namespace,
                "overlapping", query.overlapping().map(Scope::toString).orElse(""),
                "after", query.after().map(Object::toString).orElse(""),
                "limit", query.limit());
    }

    static Map<String, Object> record(LeaseRecord record) {
        return Json.object(
                "kind", record.kind(), "value", Base64.getEncoder().encodeToString(record.bytes()));
    }

    private static List<String> scopes(Claim claim) {
        List<String> scopes = new ArrayList<>();
        for (Scope scope : claim.scopes()) {
            scopes.add(scope.toString());
        }
        return scopes;
    }
}
