// SPDX-License-Identifier: Apache-2.0
package io.leasehold.benchmarks;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the command line asks for.
 *
 * @param suites what to measure, all unless named
 * @param quick whether a first look will do
 * @param json where to write the results for programs
 */
record Arguments(Set<Suite> suites, boolean quick, Optional<Path> json) {

    /** Reads the command line; the message of the exception is for people. */
    static Arguments parse(List<String> words) {
        Set<Suite> suites = EnumSet.noneOf(Suite.class);
        boolean quick = false;
        Optional<Path> json = Optional.empty();
        Deque<String> left = new ArrayDeque<>(words);
        while (!left.isEmpty()) {
            String word = left.removeFirst();
            if (word.equals("--quick")) {
                quick = true;
            } else if (word.equals("--json")) {
                if (left.isEmpty()) {
                    throw new IllegalArgumentException("--json needs the name of a file");
                }
                json = Optional.of(Path.of(left.removeFirst()));
            } else if (word.startsWith("-")) {
                throw new IllegalArgumentException("there is no option '" + word + "'");
            } else {
                suites.add(Suite.named(word));
            }
        }
        return new Arguments(suites.isEmpty() ? EnumSet.allOf(Suite.class) : suites, quick, json);
    }

    Effort effort() {
        return quick ? Effort.quick() : Effort.full();
    }
}
