// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.api.http;

import io.leasehold.protocol.v1.LeasesGrpc;
import io.leasehold.server.api.Operations;

import java.util.List;

/** The unary methods of the Leases service, each with the operation that carries it out. */
final class Endpoints {

    private Endpoints() {}

    static List<Endpoint<?, ?>> of(Operations operations) {
        return List.of(
                Endpoint.of(LeasesGrpc.getAcquireMethod(), operations::acquire),
                Endpoint.of(LeasesGrpc.getWithdrawMethod(), operations::withdraw),
                Endpoint.of(LeasesGrpc.getRenewMethod(), operations::renew),
                Endpoint.of(LeasesGrpc.getRotateMethod(), operations::rotate),
                Endpoint.of(LeasesGrpc.getReleaseMethod(), operations::release),
                Endpoint.of(LeasesGrpc.getCompleteMethod(), operations::complete),
                Endpoint.of(LeasesGrpc.getListMethod(), operations::list),
                Endpoint.of(LeasesGrpc.getForceReleaseMethod(), operations::forceRelease),
                Endpoint.of(LeasesGrpc.getCheckMethod(), operations::check),
                Endpoint.of(LeasesGrpc.getAdmitMethod(), operations::admit),
                Endpoint.of(LeasesGrpc.getSealMethod(), operations::seal),
                Endpoint.of(LeasesGrpc.getInfoMethod(), operations::info));
    }
}
