// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import picocli.CommandLine.IVersionProvider;

/** Prints the version that the build wrote into the jar's manifest. */
final class Version implements IVersionProvider {

    static String number() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(unpackaged)" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"leasehold " + number()};
    }
}
