// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A process and what it has started. Used by one thread. */
interface Family {

    /** Sends a signal to all of them, once each. */
    void signal(String name);

    boolean isAlive();

    /** Ends all of them, at once. */
    void kill();

    /** The leader of a process group, and all that is in it. */
    final class Group implements Family {

        private final Process leader;
        private final Tree tree;

        Group(Process leader) {
            this.leader = leader;
            this.tree = new Tree(leader);
        }

        @Override
        public void signal(String name) {
            tree.look();
            // a moment after its start the leader may not have made its group yet
            if (!Programs.kill(name, -leader.pid()) && leader.isAlive()) {
                Programs.kill(name, leader.pid());
            }
        }

        @Override
        public boolean isAlive() {
            return leader.isAlive() || Programs.kill("0", -leader.pid());
        }

        /** Also those that have left the group, as far as they were seen. */
        @Override
        public void kill() {
            tree.look();
            Programs.kill("KILL", -leader.pid());
            tree.kill();
        }
    }

    /** A process and its descendants, as far as they were seen while their parents lived. */
    final class Tree implements Family {

        private final ProcessHandle root;
        private final Set<ProcessHandle> seen = new LinkedHashSet<>();

        Tree(Process root) {
            this.root = root.toHandle();
            seen.add(this.root);
        }

        /** Those that are there; also children of ones whose own parents are gone by now. */
        private List<ProcessHandle> look() {
            for (ProcessHandle known : new ArrayList<>(seen)) {
                known.descendants().forEach(seen::add);
            }
            List<ProcessHandle> alive = new ArrayList<>();
            for (ProcessHandle known : seen) {
                if (known.isAlive()) {
                    alive.add(known);
                }
            }
            return alive;
        }

        @Override
        public void signal(String name) {
            for (ProcessHandle one : look()) {
                if (!Programs.kill(name, one.pid()) && name.equals("TERM")) {
                    one.destroy();
                }
            }
        }

        @Override
        public boolean isAlive() {
            return !look().isEmpty();
        }

        @Override
        public void kill() {
            for (ProcessHandle one : look()) {
                one.destroyForcibly();
            }
        }
    }
}
