// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import picocli.CommandLine.IVersionProvider;

/** Prints the version that the build wrote into the jar's manifest. */
final class Version implements IVersionProvider {

    @Override
    public String[] getVersion() {
        String version = Version.class.getPackage().getImplementationVersion();
        return new String[] {"leasehold " + (version == null ? "(unpackaged)" : version)};
    }
}
