// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A refusal as RFC 9457 has it. The members {@code type}, {@code title}, {@code status}, {@code
 * detail} are the standard's; {@code reason}, {@code resource}, {@code target}, {@code token},
 * {@code mark} and {@code leased} are ours.
 *
 * @param status of the answer
 * @param members in the order in which they are written
 */
record Problem(int status, Map<String, Object> members) {

    static final String MEDIA_TYPE = "application/problem+json";

    private static final String TYPE = "urn:leasehold:problem:";
    private static final int BAD_REQUEST = 400;
    private static final int CONFLICT = 409;
    private static final int PRECONDITION_REQUIRED = 428;

    /** The resource has seen a newer token. */
    static Problem stale(Guarded guarded, StaleTokenException stale) {
        return of(CONFLICT, Reason.STALE_TOKEN, stale)
                .with(guarded)
                .with("token", stale.token().toString())
                .with("mark", stale.mark().toString());
    }

    /** The lease is on something else than the target. */
    static Problem notLeased(Guarded guarded, Claim leased, ScopeMismatchException mismatch) {
        return of(CONFLICT, Reason.SCOPE_MISMATCH, mismatch)
                .with(guarded)
                .with("leased", ScopeHeader.text(leased.scopes()));
    }

    /** The guard protects something else than the target. */
    static Problem notGuarded(
            Guarded guarded, Admission admission, ScopeMismatchException mismatch) {
        return of(CONFLICT, Reason.SCOPE_MISMATCH, mismatch)
                .with(guarded)
                .with("token", admission.token().toString());
    }

    /** There is no token. */
    static Problem missing(Guarded guarded) {
        return of(
                        PRECONDITION_REQUIRED,
                        Reason.TOKEN_REQUIRED,
                        "a change of " + guarded.target() + " needs the header "
                                + FencingHeaders.TOKEN + ": acquire the lock, send its token")
                .with(guarded);
    }

    /** A header is not what it has to be. */
    static Problem malformed(Reason reason, String detail) {
        return of(BAD_REQUEST, reason, detail);
    }

    private static Problem of(int status, Reason reason, LeaseholdException refusal) {
        return of(status, reason, String.valueOf(refusal.getMessage()));
    }

    private static Problem of(int status, Reason reason, String detail) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("type", TYPE + reason.path);
        members.put("title", reason.title);
        members.put("status", status);
        members.put("detail", detail);
        members.put("reason", reason.name());
        return new Problem(status, members);
    }

    private Problem with(Guarded guarded) {
        Guard<?> guard = guarded.guard();
        return with("resource", guard.resource().toString())
                .with("target", guarded.target().toString());
    }

    private Problem with(String member, String value) {
        Map<String, Object> more = new LinkedHashMap<>(members);
        more.put(member, value);
        return new Problem(status, more);
    }

    String json() {
        return Json.write(members);
    }

    /**
     * What a guard on the other side has thrown, if the answer says so; empty for any other
     * problem, of whatever form.
     */
    static Optional<LeaseholdException> thrown(int status, String body) {
        if (status != CONFLICT) {
            return Optional.empty();
        }
        try {
            return Json.read(body).flatMap(Problem::thrown);
        } catch (IllegalArgumentException e) {
            // our members with values that we never write
            return Optional.empty();
        }
    }

    private static Optional<LeaseholdException> thrown(Map<String, String> problem) {
        String reason = problem.getOrDefault("reason", "");
        if (!problem.getOrDefault("type", "").startsWith(TYPE)) {
            return Optional.empty();
        }
        Scope target = Scope.parse(problem.getOrDefault("target", ""));
        if (reason.equals(Reason.STALE_TOKEN.name())) {
            FencingToken token = FencingToken.parse(problem.getOrDefault("token", ""));
            FencingToken mark = FencingToken.parse(problem.getOrDefault("mark", ""));
            return token.isOlderThan(mark)
                    ? Optional.of(new StaleTokenException(target.toString(), token, mark))
                    : Optional.empty();
        }
        return reason.equals(Reason.SCOPE_MISMATCH.name())
                ? Optional.of(mismatch(problem, target))
                : Optional.empty();
    }

    private static ScopeMismatchException mismatch(Map<String, String> problem, Scope target) {
        String leased = problem.get("leased");
        return leased == null
                ? ScopeMismatchException.notGuarded(
                        Scope.parse(problem.getOrDefault("resource", "")), target)
                : ScopeMismatchException.notLeased(ScopeHeader.parse(leased), target);
    }

    /** Why a request was refused. */
    enum Reason {
        STALE_TOKEN("stale-token", "A newer holder was here"),
        SCOPE_MISMATCH("scope-mismatch", "The lease is on something else"),
        TOKEN_REQUIRED("token-required", "A fencing token is required"),
        MALFORMED_TOKEN("malformed-token", "The fencing token can't be read"),
        MALFORMED_SCOPE("malformed-scope", "The leased scopes can't be read");

        private final String path;
        private final String title;

        Reason(String path, String title) {
            this.path = path;
            this.title = title;
        }
    }
}
