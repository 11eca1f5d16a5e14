// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.engine;

import io.leasehold.journal.JournalLeaseStore;
import io.leasehold.journal.JournalOptions;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.quorum.QuorumLeaseStore;
import io.leasehold.quorum.QuorumOptions;
import io.leasehold.redis.RedisLeaseStore;
import io.leasehold.redis.RedisOptions;
import io.leasehold.redis.RedisQuorumNode;
import io.leasehold.spi.Disk;
import io.leasehold.spi.LeaseStore;
import io.leasehold.spi.Time;
import io.leasehold.table.TableOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The engines that there are. */
final class Engines {

    private Engines() {}

    static Engine at(StoreAddress address, Time time) {
        if (address instanceof StoreAddress.Journal journal) {
            return new JournalEngine(journal.directory(), time);
        } else if (address instanceof StoreAddress.Redis redis) {
            return new RedisEngine(redis.uri());
        } else if (address instanceof StoreAddress.Quorum quorum) {
            return new QuorumEngine(quorum, time);
        }
        return new MemoryEngine(time);
    }

    /** What is not open was never there. */
    private record MemoryEngine(Time time) implements Engine {

        @Override
        public LeaseStore open(String namespace, Purpose purpose) {
            return MemoryLeaseStore.create(TableOptions.defaults(), time);
        }

        @Override
        public boolean mayHold(String namespace, Purpose purpose) {
            return false;
        }
    }

    /** A directory for each store. */
    private static final class JournalEngine implements Engine {

        private final Path directory;
        private final Time time;
        /** The directory of the store that was opened first. */
        private final AtomicReference<@Nullable Path> first = new AtomicReference<>();

        private JournalEngine(Path directory, Time time) {
            this.directory = directory;
            this.time = time;
        }

        @Override
        public LeaseStore open(String namespace, Purpose purpose) {
            ensureThere();
            Path path = path(namespace, purpose);
            LeaseStore store =
                    JournalLeaseStore.open(path, JournalOptions.defaults(), time, Disk.system());
            first.compareAndSet(null, path);
            return store;
        }

        /**
         * Makes the data directory if its parent is there, and only for the first store. When that
         * one's directory is missing later, the disk was unmounted, though there may be an empty
         * directory to mount it on: an empty store in its place would forget every lease.
         */
        private void ensureThere() {
            if (isGone()) {
                throw new StoreUnavailableException("there is no directory " + first.get()
                        + " any more: mount what should be there");
            }
            if (Files.isDirectory(directory)) {
                return;
            }
            Path parent = directory.toAbsolutePath().normalize().getParent();
            if (parent == null || !Files.isDirectory(parent)) {
                throw new StoreUnavailableException("there is no directory " + parent + " to make "
                        + directory + " in: make it, or mount what should be there");
            }
            try {
                Files.createDirectory(directory);
            } catch (IOException e) {
                throw new StoreUnavailableException(
                        "the data directory " + directory + " can't be made: " + e.getMessage(), e);
            }
        }

        private boolean isGone() {
            Path known = first.get();
            return known != null && !Files.isDirectory(known);
        }

        @Override
        public Rest rest() {
            return Rest.WHILE_NOTHING_IS_HELD;
        }

        @Override
        public boolean mayHold(String namespace, Purpose purpose) {
            return isGone() || Files.isDirectory(path(namespace, purpose));
        }

        private Path path(String namespace, Purpose purpose) {
            return directory.resolve(purpose == Purpose.GUARDS ? namespace + "~guards" : namespace);
        }
    }

    /** Other servers may have written, so that nobody knows what is there without a look. */
    private record RedisEngine(String uri) implements Engine {

        @Override
        public LeaseStore open(String namespace, Purpose purpose) {
            return RedisLeaseStore.connect(
                    RedisOptions.at(uri).withNamespace(name(namespace, purpose)));
        }

        @Override
        public Rest rest() {
            return Rest.ALWAYS;
        }

        @Override
        public boolean mayHold(String namespace, Purpose purpose) {
            return true;
        }
    }

    private record QuorumEngine(StoreAddress.Quorum address, Time time) implements Engine {

        @Override
        public LeaseStore open(String namespace, Purpose purpose) {
            String name = name(namespace, purpose);
            List<RedisQuorumNode> nodes = new ArrayList<>();
            for (String uri : address.uris()) {
                nodes.add(RedisQuorumNode.at(RedisOptions.at(uri).withNamespace(name)));
            }
            QuorumOptions options = QuorumOptions.defaults().withName(name);
            return QuorumLeaseStore.over(
                    address.isNew() ? options.asNew() : options, time, new SecureRandom(), nodes);
        }

        @Override
        public boolean mayHold(String namespace, Purpose purpose) {
            return true;
        }
    }

    /** Redis takes a slash, which no namespace of a user has. */
    private static String name(String namespace, Engine.Purpose purpose) {
        return purpose == Engine.Purpose.GUARDS ? namespace + "/guards" : namespace;
    }
}
