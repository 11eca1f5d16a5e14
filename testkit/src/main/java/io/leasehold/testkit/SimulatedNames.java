// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which names stand for which simulated files, as programs see it and as it is surely on the
 * medium. Directories are durable as soon as they are made. Not thread-safe.
 */
final class SimulatedNames {

    private Map<Path, SimulatedContent> seen = new TreeMap<>();
    private final Map<Path, SimulatedContent> durable = new TreeMap<>();
    private final List<Step> unforced = new ArrayList<>();
    private final Set<Path> directories = new HashSet<>();

    /** A name that goes, one that comes, or both at once. */
    private record Step(
            @Nullable Path gone,
            @Nullable Path come,
            @Nullable SimulatedContent content) {

        void applyTo(Map<Path, SimulatedContent> names) {
            if (gone != null) {
                names.remove(gone);
            }
            if (come != null && content != null) {
                names.put(come, content);
            }
        }

        boolean isIn(Path directory) {
            return (gone != null && directory.equals(gone.getParent()))
                    || (come != null && directory.equals(come.getParent()));
        }
    }

    @Nullable
    SimulatedContent find(Path file) {
        return seen.get(file);
    }

    boolean isDirectory(Path path) {
        return path.getParent() == null || directories.contains(path);
    }

    void makeDirectories(Path directory) {
        for (Path at = directory; at != null; at = at.getParent()) {
            directories.add(at);
        }
    }

    List<Path> in(Path directory) {
        return seen.keySet().stream()
                .filter(file -> directory.equals(file.getParent()))
                .toList();
    }

    /** How long all files are together. */
    long bytes() {
        return seen.values().stream().mapToLong(SimulatedContent::size).sum();
    }

    void create(Path file, SimulatedContent content) {
        add(new Step(null, file, content));
    }

    void rename(Path from, Path to, SimulatedContent content) {
        add(new Step(from, to, content));
    }

    void delete(Path file) {
        add(new Step(file, null, null));
    }

    private void add(Step step) {
        unforced.add(step);
        step.applyTo(seen);
    }

    void force(Path directory) {
        unforced.removeIf(step -> {
            boolean forced = step.isIn(directory);
            if (forced) {
                step.applyTo(durable);
            }
            return forced;
        });
    }

    /** Each name that was not forced has changed or not; then so have the files themselves. */
    void crash(SplittableRandom random) {
        int style = random.nextInt(4); // all, none, or each by itself
        for (Step step : unforced) {
            if (style == 0 || (style > 1 && random.nextBoolean())) {
                step.applyTo(durable);
            }
        }
        unforced.clear();
        seen = new TreeMap<>(durable);
        new HashSet<>(seen.values()).forEach(content -> content.crash(random));
    }
}
