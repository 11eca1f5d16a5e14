// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.testkit.RedisBinary;

final class FencedKeysContractTest extends FencedKeysContract {
    FencedKeysContractTest() {
        super(RedisBinary.bundled());
    }
}
