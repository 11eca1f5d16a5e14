// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.testkit.RedisBinary;

final class OlderFencedKeysContractTest extends FencedKeysContract {
    OlderFencedKeysContractTest() {
        super(RedisBinary.older());
    }
}
