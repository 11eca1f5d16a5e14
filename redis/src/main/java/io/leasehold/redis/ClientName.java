// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import java.security.SecureRandom;
import java.util.HexFormat;

/** The name by which the store knows a client: new at each start, so that no two are one. */
final class ClientName {

    private static final int BYTES = 16;

    private ClientName() {}

    static String random() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
