// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.util.Locale;

/**
 * What can be set for {@code leasehold serve}: each by an option, by a variable of the environment
 * or by a line of the configuration file, and this is the one list of them.
 */
enum ServeSetting {
    HOST(
            "HOST",
            "127.0.0.1",
            "The name or address to listen at. Other machines reach the server"
                    + " at any but 127.0.0.1 and ::1: that needs TLS and tokens, or --insecure."),
    PORT("PORT", "5327", "The port to listen at; 0 takes any that is free."),
    STORE(
            "STORE",
            "journal:leasehold-data",
            "Where leases are kept: memory, journal:DIR,"
                    + " redis://HOST:PORT or quorum:redis://A,redis://B,redis://C."),
    TOKENS(
            "FILE",
            "",
            "The file with principals, their tokens and what they may do, as"
                    + " 'leasehold token' makes it. Without it everyone may do everything."),
    TLS_CERT("FILE", "", "The server's certificate and those above it, in PEM."),
    TLS_KEY("FILE", "", "The certificate's private key, in PEM (PKCS#8, no password)."),
    TLS_CLIENT_CA(
            "FILE",
            "",
            "Who may vouch for clients, in PEM: then a client can come with a"
                    + " certificate in place of a token."),
    INSECURE("", "false", "Let other machines in although TLS or tokens are missing."),
    AUDIT_LOG(
            "FILE",
            "",
            "Where force-releases and changes of tokens are written down, besides" + " the log."),
    MAX_CONNECTIONS("N", "20000", "Connections at once."),
    MAX_NAMESPACES("N", "64", "Namespaces open at once."),
    NAMESPACE_IDLE(
            "TIME",
            "10m",
            "After so long a namespace that nobody uses is closed, to be opened again"
                    + " when it is needed; 0s keeps them open. In memory and on a quorum they stay open."),
    MAX_LEASES("N", "100000", "Leases at once of each principal."),
    MAX_CALLS("N", "20000", "Calls under way at once of each principal."),
    MAX_WATCHES("N", "100", "Watches at once of each principal, of 1,000 in all."),
    MAX_SESSIONS("N", "5000", "Sessions at once of each principal: one for each client store."),
    IDLE_TIMEOUT("TIME", "60s", "After so long a connection without a call is closed."),
    BODY_TIMEOUT("TIME", "10s", "Within so long a request's body must be there."),
    DRAIN("TIME", "2s", "For so long renewals and releases are served after a stop has begun."),
    LOG_LEVEL("LEVEL", "warn", "What is logged to standard error: error, warn, info or debug.");

    private final String label;
    private final String whenMissing;
    private final String description;

    ServeSetting(String label, String whenMissing, String description) {
        this.label = label;
        this.whenMissing = whenMissing;
        this.description = description;
    }

    /** As in the configuration file, and after the dashes of an option: {@code tls-cert}. */
    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String option() {
        return "--" + key();
    }

    String variable() {
        return "LEASEHOLD_" + name();
    }

    /** The kind of value, for people; empty for what is either there or not. */
    String label() {
        return label;
    }

    boolean isFlag() {
        return label.isEmpty();
    }

    /** Empty if there is none. */
    String whenMissing() {
        return whenMissing;
    }

    String description() {
        return description;
    }
}
