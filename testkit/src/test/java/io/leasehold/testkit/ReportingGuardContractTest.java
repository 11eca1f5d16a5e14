// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.listener.LeaseholdListener;

import java.util.concurrent.atomic.AtomicReference;

/** The contract, on a guard that reports to a listener. */
final class ReportingGuardContractTest extends GuardContract<AtomicReference<String>> {

    private final AtomicReference<String> text = new AtomicReference<>("");

    @Override
    protected Guard<AtomicReference<String>> open() {
        return MemoryGuard.around(RESOURCE, text).reportingTo(new LeaseholdListener() {});
    }

    @Override
    protected Guard<AtomicReference<String>> reopen(Guard<AtomicReference<String>> guard) {
        return guard;
    }

    @Override
    protected void put(AtomicReference<String> resource, String written) {
        resource.set(written);
    }

    @Override
    protected String read(Guard<AtomicReference<String>> guard) {
        return text.get();
    }
}
