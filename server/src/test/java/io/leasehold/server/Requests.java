// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;

import io.leasehold.protocol.v1.AcquireReply;
import io.leasehold.protocol.v1.AcquireRequest;
import io.leasehold.protocol.v1.Call;
import io.leasehold.protocol.v1.Grant;
import io.leasehold.protocol.v1.Record;
import io.leasehold.protocol.v1.ReleaseRequest;
import io.leasehold.protocol.v1.RenewRequest;

import java.util.concurrent.atomic.AtomicLong;

/** Requests as tests make them. */
final class Requests {

    private static final AtomicLong LAST_ID = new AtomicLong(1000);

    private Requests() {}

    /** For a lock by its name, with a fresh lease id and 30 s. */
    static AcquireRequest.Builder acquire(String name) {
        return AcquireRequest.newBuilder()
                .setLeaseId(id())
                .setHolder("test")
                .addScopes("name:" + name)
                .setTtl(seconds(30));
    }

    static String id() {
        return String.format("%032x", LAST_ID.incrementAndGet());
    }

    static Duration seconds(long seconds) {
        return Duration.newBuilder().setSeconds(seconds).build();
    }

    static Record record(String text) {
        return Record.newBuilder().setValue(ByteString.copyFromUtf8(text)).build();
    }

    /** The grant of the answer, as its holder names it. */
    static Grant grant(AcquireReply reply) {
        AcquireReply.Granted granted = reply.getGranted();
        return Grant.newBuilder()
                .addAllScopes(granted.getHolding().getScopesList())
                .setMode(granted.getHolding().getMode())
                .setToken(granted.getHolding().getToken())
                .setLeaseId(granted.getLeaseId())
                .setHolder(granted.getHolding().getHolder())
                .setTtl(granted.getTtl())
                .build();
    }

    static RenewRequest renew(Grant... grants) {
        RenewRequest.Builder request = RenewRequest.newBuilder();
        for (Grant grant : grants) {
            request.addRenewals(RenewRequest.Renewal.newBuilder().setGrant(grant));
        }
        return request.build();
    }

    static ReleaseRequest release(Grant grant) {
        return ReleaseRequest.newBuilder().setGrant(grant).build();
    }

    static Call.Builder call(AcquireRequest.Builder request) {
        return Call.newBuilder().setAcquire(request);
    }

    static Call.Builder call(ReleaseRequest request) {
        return Call.newBuilder().setRelease(request);
    }

    static Call.Builder call(RenewRequest request) {
        return Call.newBuilder().setRenew(request);
    }
}
