// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import com.linecorp.armeria.server.ServerBuilder;

import io.leasehold.protocol.v1.AdministrationGrpc;
import io.leasehold.server.access.Security;
import io.leasehold.server.access.TokenAdministration;
import io.leasehold.server.api.http.HttpRoutes;
import io.leasehold.server.api.http.HttpSettings;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;

/** The operations as JSON over HTTP, and what there is for people and for Prometheus. */
final class HttpPart implements ServerPart {

    @Override
    public void addTo(ServerBuilder server, Parts parts) {
        HttpSettings settings = new HttpSettings(
                parts.callers()::principal,
                parts.health(),
                parts.meters().registry(),
                new SecureRandom(),
                parts.options().time(),
                isForStrangers(parts.options()));
        TokenAdministration tokens = parts.administration();
        HttpRoutes.of(parts.operations(), settings)
                .with(AdministrationGrpc.getCreateTokenMethod(), tokens::createToken)
                .with(AdministrationGrpc.getListTokensMethod(), tokens::listTokens)
                .with(AdministrationGrpc.getRevokeTokenMethod(), tokens::revokeToken)
                .register(server);
    }

    /**
     * Nobody is asked for a name, and other machines can't come, or nobody said that they may: on
     * loopback a browser is all that could bring somebody else.
     */
    private static boolean isForStrangers(ServerOptions options) {
        Security security = options.security();
        ServerOptions.Listen listen = options.listen();
        InetAddress bind = new InetSocketAddress(listen.host(), listen.port()).getAddress();
        return security.tokens().isEmpty()
                && (!security.insecure() || (bind != null && bind.isLoopbackAddress()));
    }
}
