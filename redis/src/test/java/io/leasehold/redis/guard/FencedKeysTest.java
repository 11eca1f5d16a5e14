// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.testkit.RedisBinary;

final class FencedKeysTest extends FencedKeysRules {
    FencedKeysTest() {
        super(RedisBinary.bundled());
    }
}
