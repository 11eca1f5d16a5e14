// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServerTlsConfig;

import io.leasehold.spi.Time;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ClientAuth;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Who is let in, and over what.
 *
 * @param tokens the file with principals; without one everyone may do everything
 * @param tls the server's certificate; without one what is said can be read on the way
 * @param auditFile where the audit log goes besides the logger
 * @param insecure whether other machines are let in although one of the first two is missing
 */
public record Security(
        Optional<Path> tokens, Optional<Tls> tls, Optional<Path> auditFile, boolean insecure) {

    /**
     * A certificate.
     *
     * @param certificate a PEM file: the certificate and those between it and the root
     * @param key a PEM file: its private key
     * @param clientAuthority a PEM file: who may vouch for clients; then they can come with a
     *     certificate in place of a token
     */
    public record Tls(Path certificate, Path key, Optional<Path> clientAuthority) {}

    /** For this machine alone: no tokens, no TLS. */
    public static Security open() {
        return new Security(Optional.empty(), Optional.empty(), Optional.empty(), false);
    }

    /**
     * Refuses an address that other machines can reach, unless they are asked who they are and
     * nobody on the way can listen, or it was said that this is as it should be.
     *
     * @throws IllegalArgumentException with what to do
     */
    public void check(InetAddress bind) {
        if (tls.flatMap(Tls::clientAuthority).isPresent() && tokens.isEmpty()) {
            throw new IllegalArgumentException("a client CA is of no use without a token file:"
                    + " what the owner of a certificate may do is said there. Add --tokens FILE");
        }
        if (bind.isLoopbackAddress() || insecure || (tls.isPresent() && tokens.isPresent())) {
            return;
        }
        String missing = tls.isPresent()
                ? "there is no token file, so anyone could do everything: add --tokens FILE"
                : tokens.isPresent()
                        ? "there is no TLS, so tokens could be read on the way: add --tls-cert FILE"
                                + " and --tls-key FILE"
                        : "there is neither TLS nor a token file: add --tls-cert FILE, --tls-key"
                                + " FILE and --tokens FILE";
        throw new IllegalArgumentException("other machines can reach " + bind.getHostAddress()
                + ", and " + missing + ". Or bind to 127.0.0.1, or add --insecure if the network"
                + " itself keeps others out");
    }

    /** Lets the server speak TLS, if there is a certificate. */
    public void applyTo(ServerBuilder server, Time time) {
        tls.ifPresent(files -> {
            ClientAuth clients =
                    files.clientAuthority().isPresent() ? ClientAuth.OPTIONAL : ClientAuth.NONE;
            server.tlsProvider(
                    new TlsFiles(files.certificate(), files.key(), files.clientAuthority(), time),
                    ServerTlsConfig.builder().clientAuth(clients).build());
        });
    }

    /**
     * Opens the files that decide.
     *
     * @param lines writes the audit log, may block
     * @param administration reads and writes the token file, may block
     * @throws io.leasehold.model.LeaseholdException if one of them can't be read or understood
     */
    public Entrance entrance(Time time, Executor lines, Executor administration) {
        Audit audit = auditFile
                .map(file -> Audit.toFile(file, time, lines))
                .orElseGet(() -> Audit.toLog(time, lines));
        FailedSignIns failures = new FailedSignIns("sign-in", audit, time);
        FailedSignIns handshakes = new FailedSignIns("handshake", audit, time);
        if (tokens.isEmpty()) {
            return new Entrance(
                    Access.open(),
                    failures,
                    handshakes,
                    audit,
                    TokenAdministration.none(audit, administration));
        }
        TokenFile file = TokenFile.at(tokens.get());
        TokenAccess access = new TokenAccess(new LiveTokens(file, time));
        return new Entrance(
                new TracedAccess(access, failures),
                failures,
                handshakes,
                audit,
                TokenAdministration.of(file, access, audit, administration));
    }

    /**
     * What stands between the network and the operations.
     *
     * @param access finds out who is asking
     * @param failures of that
     * @param handshakes that failed, with TLS
     * @param audit what is written down
     * @param administration of the principals
     */
    public record Entrance(
            Access access,
            FailedSignIns failures,
            FailedSignIns handshakes,
            Audit audit,
            TokenAdministration administration) {

        /** Takes note if the TLS handshake of a connection fails. */
        public void watchHandshakes(ChannelPipeline connection) {
            FailedHandshake.watch(connection, handshakes);
        }
    }
}
