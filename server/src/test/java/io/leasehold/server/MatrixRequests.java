// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import com.google.protobuf.Duration;
import com.google.protobuf.Message;

import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.AdmitRequest;
import io.leasehold.protocol.v1.CheckRequest;
import io.leasehold.protocol.v1.CompleteRequest;
import io.leasehold.protocol.v1.CreateTokenRequest;
import io.leasehold.protocol.v1.ForceReleaseRequest;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.InfoRequest;
import io.leasehold.protocol.v1.ListRequest;
import io.leasehold.protocol.v1.ListTokensRequest;
import io.leasehold.protocol.v1.Record;
import io.leasehold.protocol.v1.ReleaseRequest;
import io.leasehold.protocol.v1.RenewRequest;
import io.leasehold.protocol.v1.RevokeTokenRequest;
import io.leasehold.protocol.v1.RotateRequest;
import io.leasehold.protocol.v1.TokenRule;
import io.leasehold.protocol.v1.WatchRequest;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** A valid request of each method, all in one namespace. No two are on the same scope. */
final class MatrixRequests {

    static final String NAMESPACE = "team-a";
    static final String HELD = "name:held";

    private static final AtomicInteger LAST = new AtomicInteger();
    private static final Duration TTL = Duration.newBuilder().setSeconds(30).build();

    private MatrixRequests() {}

    /** By the name of the method; new ones at each call. */
    static Map<String, Message> byMethod(long heldToken) {
        int number = LAST.incrementAndGet();
        Grant grant = Grant.newBuilder()
                .addScopes("name:none-" + number)
                .setToken(1)
                .setLeaseId(id(number))
                .setHolder("matrix")
                .setTtl(TTL)
                .build();
        Map<String, Message> requests = new LinkedHashMap<>();
        requests.put("Acquire", acquire("name:lock-" + number, number));
        requests.put("Withdraw", acquire("name:other-" + number, number + 1_000_000));
        requests.put(
                "Renew",
                RenewRequest.newBuilder()
                        .setNamespace(NAMESPACE)
                        .addRenewals(RenewRequest.Renewal.newBuilder()
                                .setGrant(grant)
                                .setTtl(TTL))
                        .build());
        requests.put(
                "Rotate",
                RotateRequest.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setGrant(grant)
                        .build());
        requests.put(
                "Release",
                ReleaseRequest.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setGrant(grant)
                        .build());
        requests.put(
                "Complete",
                CompleteRequest.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setGrant(grant)
                        .setRecord(Record.getDefaultInstance())
                        .setKeepFor(TTL)
                        .build());
        requests.put("List", ListRequest.newBuilder().setNamespace(NAMESPACE).build());
        requests.put(
                "ForceRelease",
                ForceReleaseRequest.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setScope("name:none-" + number)
                        .setToken(1)
                        .setComment("matrix")
                        .build());
        requests.put(
                "Check",
                CheckRequest.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setScope(HELD)
                        .setToken(heldToken)
                        .build());
        AdmitRequest admit = AdmitRequest.newBuilder()
                .setNamespace(NAMESPACE)
                .setResource("resource-" + number)
                .setToken(1)
                .build();
        requests.put("Admit", admit);
        requests.put("Seal", admit);
        requests.put("Info", InfoRequest.newBuilder().setNamespace(NAMESPACE).build());
        requests.put("Watch", WatchRequest.newBuilder().setNamespace(NAMESPACE).build());
        requests.put(
                "CreateToken",
                CreateTokenRequest.newBuilder()
                        .setName("made-" + number)
                        .addRules(TokenRule.newBuilder()
                                .setNamespaces("team-x")
                                .addPermissions(TokenRule.Permission.READ))
                        .build());
        requests.put("ListTokens", ListTokensRequest.getDefaultInstance());
        requests.put(
                "RevokeToken", RevokeTokenRequest.newBuilder().setName("nobody").build());
        return requests;
    }

    static AcquireRequest acquire(String scope, int number) {
        return AcquireRequest.newBuilder()
                .setNamespace(NAMESPACE)
                .setLeaseId(id(number))
                .addScopes(scope)
                .setHolder("matrix")
                .setTtl(TTL)
                .build();
    }

    private static String id(int number) {
        return String.format("%032x", number);
    }
}
