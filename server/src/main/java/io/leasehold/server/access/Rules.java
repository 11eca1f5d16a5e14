// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import java.util.Map;
import java.util.Set;

/**
 * The one table of which call needs which permission, by the full name of the method. A method that
 * is not in it is nobody's to call, and a test finds it.
 */
public final class Rules {

    /** What a call needs. */
    public sealed interface Rule {

        /** Any identity will do. */
        record AnyIdentity() implements Rule {}

        /** A permission in the namespace that the request names. */
        record InNamespace(Permission permission) implements Rule {
            @Override
            public String toString() {
                return "the permission " + permission;
            }
        }

        /** A permission in all namespaces. */
        record Everywhere(Permission permission) implements Rule {}
    }

    /** What becomes of a call. */
    public enum Verdict {
        PERMITTED,
        /** The namespace is foreign: what there is to read looks as if there were nothing. */
        LOOKS_EMPTY,
        DENIED
    }

    private static final Rule ANY = new Rule.AnyIdentity();
    private static final Rule ACQUIRE = new Rule.InNamespace(Permission.ACQUIRE);
    private static final Rule READ = new Rule.InNamespace(Permission.READ);
    private static final Rule FORCE = new Rule.InNamespace(Permission.FORCE);
    private static final Rule ADMIN = new Rule.Everywhere(Permission.ADMIN);

    private static final Map<String, Rule> TABLE = Map.ofEntries(
            Map.entry("leasehold.v1.Leases/Acquire", ACQUIRE),
            Map.entry("leasehold.v1.Leases/Withdraw", ACQUIRE),
            Map.entry("leasehold.v1.Leases/Renew", ACQUIRE),
            Map.entry("leasehold.v1.Leases/Rotate", ACQUIRE),
            Map.entry("leasehold.v1.Leases/Release", ACQUIRE),
            Map.entry("leasehold.v1.Leases/Complete", ACQUIRE),
            Map.entry("leasehold.v1.Leases/Admit", ACQUIRE),
            Map.entry("leasehold.v1.Leases/Seal", ACQUIRE),
            Map.entry("leasehold.v1.Leases/List", READ),
            Map.entry("leasehold.v1.Leases/Check", READ),
            Map.entry("leasehold.v1.Leases/Watch", READ),
            Map.entry("leasehold.v1.Leases/ForceRelease", FORCE),
            Map.entry("leasehold.v1.Leases/Info", ANY),
            // each call in it is judged by itself
            Map.entry("leasehold.v1.Leases/Session", ANY),
            Map.entry("leasehold.v1.Administration/CreateToken", ADMIN),
            Map.entry("leasehold.v1.Administration/ListTokens", ADMIN),
            Map.entry("leasehold.v1.Administration/RevokeToken", ADMIN));

    private Rules() {}

    /** The methods that have a rule. */
    public static Set<String> methods() {
        return TABLE.keySet();
    }

    /**
     * The rule of a method.
     *
     * @param method its full name, such as {@code leasehold.v1.Leases/Acquire}
     * @throws IllegalArgumentException if it has none
     */
    public static Rule of(String method) {
        Rule rule = TABLE.get(method);
        if (rule == null) {
            throw new IllegalArgumentException("no rule says who may call " + method);
        }
        return rule;
    }

    /** Whether the principal may call the method in the namespace; no rule, no call. */
    public static Verdict judge(Principal principal, String method, String namespace) {
        Rule rule = TABLE.get(method);
        if (rule instanceof Rule.AnyIdentity) {
            return Verdict.PERMITTED;
        }
        if (rule instanceof Rule.InNamespace needed) {
            if (principal.may(needed.permission(), namespace)) {
                return Verdict.PERMITTED;
            }
            return needed.permission() == Permission.READ ? Verdict.LOOKS_EMPTY : Verdict.DENIED;
        }
        return rule instanceof Rule.Everywhere needed
                        && principal.mayEverywhere(needed.permission())
                ? Verdict.PERMITTED
                : Verdict.DENIED;
    }
}
