// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a server is to be started.
 *
 * @param sentinel whether it watches over others instead of keeping data
 * @param certificate what it shows to those who connect with TLS; null without TLS
 * @param settings further lines of its configuration, which win over ours
 */
record RedisSetup(
        RedisBinary binary,
        boolean sentinel,
        @Nullable TlsCertificate certificate,
        List<String> settings) {

    /** A server of data, without TLS. */
    static RedisSetup of(RedisBinary binary, List<String> settings) {
        return new RedisSetup(binary, false, null, settings);
    }

    List<String> arguments() {
        return sentinel ? List.of("--sentinel") : List.of();
    }

    /** The password that the settings ask of clients. */
    Optional<String> password() {
        return password(settings);
    }

    static Optional<String> password(List<String> settings) {
        return settings.stream()
                .filter(setting -> setting.startsWith("requirepass "))
                .map(setting -> setting.substring("requirepass ".length()).strip())
                .findFirst();
    }

    /** These settings, and the password for other servers with the same ones. */
    static List<String> amongEquals(List<String> settings, String... more) {
        List<String> all = new ArrayList<>(List.of(more));
        password(settings).ifPresent(password -> all.add("masterauth " + password));
        all.addAll(settings);
        return all;
    }

    /** The lines of the configuration file. */
    List<String> configuration(int port, int tlsPort) {
        List<String> lines = new ArrayList<>(List.of("bind 127.0.0.1", "port " + port));
        if (!sentinel) {
            lines.addAll(List.of(
                    "save \"\"",
                    "repl-diskless-sync yes",
                    "repl-diskless-sync-delay 0",
                    "rdb-del-sync-files yes"));
        }
        if (certificate != null) {
            lines.addAll(List.of(
                    "tls-port " + tlsPort,
                    "tls-cert-file \"" + certificate.certificate() + "\"",
                    "tls-key-file \"" + certificate.key() + "\"",
                    "tls-ca-cert-file \"" + certificate.certificate() + "\"",
                    "tls-auth-clients no"));
        }
        lines.addAll(settings);
        return lines;
    }
}
