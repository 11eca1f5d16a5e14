// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.listener.LeaseholdListener;

/** The contract, on a guard that reports to a listener. */
final class ReportingGuardContractTest extends GuardContract<StringBuilder> {

    private final StringBuilder text = new StringBuilder();

    @Override
    protected Guard<StringBuilder> open() {
        return MemoryGuard.around(RESOURCE, text).reportingTo(new LeaseholdListener() {});
    }

    @Override
    protected Guard<StringBuilder> reopen(Guard<StringBuilder> guard) {
        return guard;
    }

    @Override
    protected void put(StringBuilder resource, String written) {
        resource.setLength(0);
        resource.append(written);
    }

    @Override
    protected String read(Guard<StringBuilder> guard) {
        return text.toString();
    }
}
