// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import io.leasehold.model.Holder;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** How this process introduces itself to people. */
final class ThisProcess {

    private ThisProcess() {}

    static Holder holder() {
        return new Holder("java@" + host() + "/" + ProcessHandle.current().pid());
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost"; // a label for people: better a vague one than none
        }
    }
}
