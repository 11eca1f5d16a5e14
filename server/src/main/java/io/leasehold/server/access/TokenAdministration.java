// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.model.LeaseholdException;
import io.leasehold.protocol.FromWire;
import io.leasehold.protocol.v1.CreateTokenReply;
import io.leasehold.protocol.v1.CreateTokenRequest;
import io.leasehold.protocol.v1.Failure;
import io.leasehold.protocol.v1.ListTokensReply;
import io.leasehold.protocol.v1.ListTokensRequest;
import io.leasehold.protocol.v1.RevokeTokenReply;
import io.leasehold.protocol.v1.RevokeTokenRequest;
import io.leasehold.protocol.v1.TokenRule;
import io.leasehold.protocol.v1.TokenView;
import io.leasehold.server.api.CallFailedException;
import io.leasehold.server.api.CallId;
import io.leasehold.server.api.Caller;
import io.leasehold.server.api.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may do what, as whoever administers all namespaces sees and changes it. Every call is written
 * to the audit log, refused or not. A call that has no reply fails with a {@link
 * CallFailedException} and nothing else. Files are read and written on an executor of the server,
 * never by the caller. Thread-safe.
 */
public final class TokenAdministration {

    private static final Logger LOG = LoggerFactory.getLogger(TokenAdministration.class);
    private static final String SERVICE = "leasehold.v1.Administration/";

    private final @Nullable TokenFile file;
    private final Runnable onChange;
    private final Audit audit;
    private final Executor executor;

    private TokenAdministration(
            @Nullable TokenFile file, Runnable onChange, Audit audit, Executor executor) {
        this.file = file;
        this.onChange = onChange;
        this.audit = audit;
        this.executor = executor;
    }

    /** Of the file that the access is by; the executor may block. */
    static TokenAdministration of(
            TokenFile file, TokenAccess access, Audit audit, Executor executor) {
        return new TokenAdministration(file, access::refresh, audit, executor);
    }

    /** Where there are no tokens: each call says so. */
    static TokenAdministration none(Audit audit, Executor executor) {
        return new TokenAdministration(null, () -> {}, audit, executor);
    }

    public CompletionStage<CreateTokenReply> createToken(
            Caller caller, CreateTokenRequest request) {
        return run(new Call(caller, "CreateToken", "create-token", request.getName()), tokens -> {
            List<AccessRule> rules = rules(request.getRulesList());
            String secret = FromWire.field("name", () -> tokens.create(request.getName(), rules));
            onChange.run();
            return CreateTokenReply.newBuilder().setToken(secret).build();
        });
    }

    public CompletionStage<ListTokensReply> listTokens(Caller caller, ListTokensRequest request) {
        return run(new Call(caller, "ListTokens", "list-tokens", ""), tokens -> {
            ListTokensReply.Builder reply = ListTokensReply.newBuilder();
            tokens.list().forEach(entry -> reply.addTokens(view(entry)));
            return reply.build();
        });
    }

    public CompletionStage<RevokeTokenReply> revokeToken(
            Caller caller, RevokeTokenRequest request) {
        return run(new Call(caller, "RevokeToken", "revoke-token", request.getName()), tokens -> {
            boolean revoked = tokens.revoke(request.getName());
            onChange.run();
            return RevokeTokenReply.newBuilder().setRevoked(revoked).build();
        });
    }

    private record Call(Caller caller, String method, String what, String subject) {
        Principal who() {
            return caller.principal();
        }

        CallId id() {
            return caller.call();
        }
    }

    private <T> CompletionStage<T> run(Call call, Function<TokenFile, T> action) {
        if (Rules.judge(call.who(), SERVICE + call.method(), "") != Rules.Verdict.PERMITTED) {
            return fail(
                    call,
                    Failures.of(
                            Failure.Kind.PERMISSION_DENIED,
                            call.who().name() + " may not administer all namespaces"));
        }
        if (file == null) {
            return fail(
                    call,
                    Failures.of(
                            Failure.Kind.INVALID,
                            "this server has no token file, everyone may do everything;"
                                    + " start it with --tokens FILE"));
        }
        TokenFile tokens = file;
        CompletableFuture<T> reply = new CompletableFuture<>();
        try {
            executor.execute(() -> carryOut(call, tokens, action, reply));
        } catch (RejectedExecutionException e) {
            return fail(
                    call,
                    Failures.of(
                            Failure.Kind.UNAVAILABLE,
                            "too many changes of tokens wait: ask again later"));
        }
        return reply;
    }

    private <T> void carryOut(
            Call call,
            TokenFile tokens,
            Function<TokenFile, T> action,
            CompletableFuture<T> reply) {
        try {
            T done = action.apply(tokens);
            CompletionStage<Void> unused = write(call, "done").thenRun(() -> reply.complete(done));
        } catch (RuntimeException | Error e) {
            CallFailedException told = told(call, e);
            CompletionStage<Void> unused = write(call, told.failure().getKind().name())
                    .thenRun(() -> reply.completeExceptionally(told));
        }
    }

    private <T> CompletionStage<T> fail(Call call, CallFailedException told) {
        return audit.writeRefusal(entry(call, told.failure().getKind().name()))
                .thenCompose(written -> CompletableFuture.failedFuture(told));
    }

    private CompletionStage<Void> write(Call call, String outcome) {
        return audit.write(entry(call, outcome));
    }

    private static AuditEntry entry(Call call, String outcome) {
        return new AuditEntry(
                call.who().name(), call.what(), call.subject(), 0, "", outcome, call.id());
    }

    /** A broken file is the operator's to see, not the caller's. */
    private static CallFailedException told(Call call, Throwable e) {
        if (e instanceof CallFailedException told) {
            return told;
        }
        if (e instanceof IllegalArgumentException) {
            return Failures.of(Failure.Kind.INVALID, String.valueOf(e.getMessage()));
        }
        if (e instanceof LeaseholdException) {
            LOG.error("request {}: the token file can't be used: {}", call.id(), e.getMessage());
        } else {
            LOG.error("request {} failed with an internal error", call.id(), e);
        }
        return Failures.of(
                Failure.Kind.UNAVAILABLE,
                "the token file can't be used; the server's log says why, at request " + call.id());
    }

    private static List<AccessRule> rules(List<TokenRule> given) {
        if (given.isEmpty()) {
            throw new IllegalArgumentException(
                    "the field 'rules': without a rule the token could do nothing; give it one");
        }
        List<AccessRule> rules = new ArrayList<>(given.size());
        for (TokenRule rule : given) {
            rules.add(FromWire.field("rules[" + rules.size() + "]", () -> rule(rule)));
        }
        return rules;
    }

    private static AccessRule rule(TokenRule rule) {
        return AccessRule.of(
                rule.getNamespaces(),
                rule.getPermissionsList().stream()
                        .map(permission -> switch (permission) {
                            case ACQUIRE -> Permission.ACQUIRE;
                            case READ -> Permission.READ;
                            case FORCE -> Permission.FORCE;
                            case ADMIN -> Permission.ADMIN;
                            case UNRECOGNIZED ->
                                throw new IllegalArgumentException(
                                        "a permission that this server does not know");
                        })
                        .toList());
    }

    private static TokenView view(TokenEntry entry) {
        TokenView.Builder view = TokenView.newBuilder().setName(entry.name());
        for (AccessRule rule : entry.rules()) {
            TokenRule.Builder told = TokenRule.newBuilder().setNamespaces(rule.namespaces());
            rule.permissions().stream()
                    .sorted()
                    .forEach(permission -> told.addPermissions(
                            switch (permission) {
                                case ACQUIRE -> TokenRule.Permission.ACQUIRE;
                                case READ -> TokenRule.Permission.READ;
                                case FORCE -> TokenRule.Permission.FORCE;
                                case ADMIN -> TokenRule.Permission.ADMIN;
                            }));
            view.addRules(told);
        }
        return view.build();
    }
}
