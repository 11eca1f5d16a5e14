// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

/** Whoever asks where nobody is asked for a name. May do everything. */
final class Anyone implements Principal {

    static final Principal INSTANCE = new Anyone();

    private Anyone() {}

    /** What no principal of a token file can be called. */
    @Override
    public String name() {
        return Names.ANYONE;
    }

    @Override
    public boolean isAnyone() {
        return true;
    }

    @Override
    public boolean may(Permission permission, String namespace) {
        return true;
    }

    @Override
    public boolean mayEverywhere(Permission permission) {
        return true;
    }
}
