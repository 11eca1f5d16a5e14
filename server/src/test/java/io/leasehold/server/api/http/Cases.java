// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import com.google.protobuf.Message;

import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AdmitReply;
import io.leasehold.protocol.v1.CheckReply;
import io.leasehold.protocol.v1.CreateTokenReply;
import io.leasehold.protocol.v1.EndReply;
import io.leasehold.protocol.v1.InfoReply;
import io.leasehold.protocol.v1.ListReply;
import io.leasehold.protocol.v1.ListTokensReply;
import io.leasehold.protocol.v1.Reason;
import io.leasehold.protocol.v1.Refusal;
import io.leasehold.protocol.v1.RenewReply;
import io.leasehold.protocol.v1.RevokeTokenReply;
import io.leasehold.protocol.v1.RotateReply;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** For each method a request that is right, and what each of its replies is over HTTP. */
final class Cases {

    /**
     * A method.
     *
     * @param sample the body, or the query with its question mark
     * @param number a field that takes a number
     * @param replies what it may be answered
     */
    record Case(String sample, String number, List<Reply> replies) {}

    /** A reply, its status code, and its reason if it is a problem. */
    record Reply(Message message, int status, String reason) {}

    private static final String GRANT = "{\"grant\":{\"scopes\":[\"name:orders\"],\"token\":\"7\","
            + "\"leaseId\":\"00000000000000000000000000000001\"}}";

    static final Map<String, Case> ALL = Map.ofEntries(
            Map.entry(
                    "Acquire",
                    new Case("{\"scopes\":[\"name:a\"]}", "unlessCompletedSince", acquire())),
            Map.entry(
                    "Withdraw",
                    new Case("{\"scopes\":[\"name:a\"]}", "unlessCompletedSince", ends())),
            Map.entry("Renew", new Case("{\"renewals\":[" + GRANT + "]}", "", renew())),
            Map.entry("Rotate", new Case(GRANT, "", rotate())),
            Map.entry("Release", new Case(GRANT, "", ends())),
            Map.entry("Complete", new Case(GRANT, "", ends())),
            Map.entry("List", new Case("?limit=5", "after", done(ListReply.getDefaultInstance()))),
            Map.entry(
                    "ForceRelease",
                    new Case("{\"scope\":\"name:a\",\"token\":\"7\"}", "token", ends())),
            Map.entry(
                    "Check",
                    new Case(
                            "?scope=name:a&token=7",
                            "token",
                            done(CheckReply.getDefaultInstance()))),
            Map.entry("Admit", new Case("{\"resource\":\"r\",\"token\":\"7\"}", "token", admit())),
            Map.entry("Seal", new Case("{\"resource\":\"r\",\"token\":\"7\"}", "token", admit())),
            Map.entry("Info", new Case("", "", done(InfoReply.getDefaultInstance()))),
            Map.entry(
                    "CreateToken",
                    new Case("{\"name\":\"ci\"}", "", done(CreateTokenReply.getDefaultInstance()))),
            Map.entry("ListTokens", new Case("", "", done(ListTokensReply.getDefaultInstance()))),
            Map.entry(
                    "RevokeToken",
                    new Case(
                            "{\"name\":\"ci\"}", "", done(RevokeTokenReply.getDefaultInstance()))));

    private Cases() {}

    private static List<Reply> done(Message reply) {
        return List.of(new Reply(reply, 200, ""));
    }

    private static List<Reply> acquire() {
        List<Reply> replies = new ArrayList<>(List.of(
                new Reply(
                        reply(b -> b.setGranted(AcquireReply.Granted.getDefaultInstance())),
                        200,
                        ""),
                new Reply(
                        reply(b -> b.setCompleted(AcquireReply.Completed.getDefaultInstance())),
                        200,
                        ""),
                new Reply(
                        reply(b -> b.setHeld(AcquireReply.Held.getDefaultInstance())),
                        409,
                        "HELD")));
        for (Reason reason : reasons()) {
            replies.add(new Reply(reply(b -> b.setGone(refusal(reason))), 410, reason.name()));
        }
        return replies;
    }

    private static AcquireReply reply(
            Function<AcquireReply.Builder, AcquireReply.Builder> outcome) {
        return outcome.apply(AcquireReply.newBuilder()).build();
    }

    private static List<Reply> ends() {
        EndReply ended = EndReply.newBuilder()
                .setEnded(EndReply.Ended.getDefaultInstance())
                .build();
        return refusals(
                ended,
                reason -> EndReply.newBuilder().setRefused(refusal(reason)).build());
    }

    private static List<Reply> rotate() {
        RotateReply rotated = RotateReply.newBuilder()
                .setRotated(RotateReply.Rotated.getDefaultInstance())
                .build();
        return refusals(
                rotated,
                reason -> RotateReply.newBuilder().setRefused(refusal(reason)).build());
    }

    private static List<Reply> renew() {
        RenewReply.Outcome renewed = RenewReply.Outcome.newBuilder()
                .setRenewed(RenewReply.Renewed.getDefaultInstance())
                .build();
        List<Reply> replies = new ArrayList<>();
        replies.add(new Reply(RenewReply.newBuilder().addOutcomes(renewed).build(), 200, ""));
        for (Reason reason : reasons()) {
            RenewReply.Outcome refused =
                    RenewReply.Outcome.newBuilder().setRefused(refusal(reason)).build();
            replies.add(new Reply(RenewReply.newBuilder().addOutcomes(refused).build(), 200, ""));
            replies.add(new Reply(
                    RenewReply.newBuilder()
                            .addOutcomes(renewed)
                            .addOutcomes(refused)
                            .build(),
                    200,
                    ""));
        }
        return replies;
    }

    private static List<Reply> admit() {
        AdmitReply admitted = AdmitReply.newBuilder()
                .setMark(7)
                .setAdmitted(AdmitReply.Admitted.getDefaultInstance())
                .build();
        AdmitReply stale = AdmitReply.newBuilder()
                .setMark(9)
                .setStale(AdmitReply.Stale.newBuilder().setMessage("9 was seen"))
                .build();
        return List.of(new Reply(admitted, 200, ""), new Reply(stale, 409, "STALE"));
    }

    private static List<Reply> refusals(Message done, Function<Reason, Message> refused) {
        List<Reply> replies = new ArrayList<>(List.of(new Reply(done, 200, "")));
        for (Reason reason : reasons()) {
            int status = switch (reason) {
                case NOT_FOUND -> 404;
                case EXPIRED -> 410;
                default -> 409;
            };
            replies.add(new Reply(refused.apply(reason), status, reason.name()));
        }
        return replies;
    }

    private static List<Reason> reasons() {
        return List.of(Reason.values()).stream()
                .filter(reason ->
                        reason != Reason.UNRECOGNIZED && reason != Reason.REASON_UNSPECIFIED)
                .toList();
    }

    private static Refusal refusal(Reason reason) {
        return Refusal.newBuilder()
                .setReason(reason)
                .setMessage("so it was refused")
                .build();
    }
}
