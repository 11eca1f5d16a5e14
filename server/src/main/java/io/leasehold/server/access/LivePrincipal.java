// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.model.StoreUnavailableException;

import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A principal of the token file. What it may do is what the file says at the moment of the
 * question: nothing once it is revoked, and nothing while the file can't be read.
 */
final class LivePrincipal implements Principal {

    private final String name;
    private final Supplier<Optional<TokenEntry>> current;

    LivePrincipal(String name, Supplier<Optional<TokenEntry>> current) {
        this.name = name;
        this.current = current;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean may(Permission permission, String namespace) {
        return holds(entry -> entry.may(permission, namespace));
    }

    @Override
    public boolean mayEverywhere(Permission permission) {
        return holds(entry -> entry.mayEverywhere(permission));
    }

    private boolean holds(Predicate<TokenEntry> question) {
        try {
            return current.get().filter(question).isPresent();
        } catch (StoreUnavailableException e) {
            return false;
        }
    }
}
