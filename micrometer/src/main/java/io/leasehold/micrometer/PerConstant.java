// SPDX-License-Identifier: Apache-2.0
package io.leasehold.micrometer;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Predicate;

/** A meter for each constant of an enum, or for some of them, all made at once. */
final class PerConstant<E extends Enum<E>, M> {

    private final Map<E, M> meters;

    PerConstant(Class<E> constants, Function<E, M> create) {
        this(constants, all -> true, create);
    }

    PerConstant(Class<E> constants, Predicate<E> which, Function<E, M> create) {
        meters = new EnumMap<>(constants);
        for (E constant : constants.getEnumConstants()) {
            if (which.test(constant)) {
                meters.put(constant, create.apply(constant));
            }
        }
    }

    M of(E constant) {
        return Objects.requireNonNull(meters.get(constant));
    }
}
