// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.cli.json.Durations;
import io.leasehold.cli.json.Json;
import io.leasehold.cli.json.JsonException;
import io.leasehold.cli.json.JsonObject;
import io.leasehold.cli.json.JsonReader;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Holder;
import io.leasehold.model.Holding;
import io.leasehold.model.LeaseId;
import io.leasehold.model.Mode;
import io.leasehold.model.Scope;
import io.leasehold.model.StoreId;
import io.leasehold.spi.Grant;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A lease that a script keeps from one command to the next, its secret included: so only the owner
 * may read the file, from the moment it exists, and it is never seen half written.
 */
final class LeaseFile {

    /** Where a script may keep the lease id in place of a file. */
    static final String ID_VARIABLE = "LEASEHOLD_LEASE_ID";

    private static final String KIND = "leasehold lease";
    private static final int MAX_BYTES = 64 * 1024;

    private final Path path;

    LeaseFile(Path path) {
        this.path = path;
    }

    /** A lease, and the store that granted it, if that told its id. */
    record Kept(Grant grant, Optional<StoreId> store) {}

    /** Puts the lease into the file. Replaces the file of an earlier lease, but no other file. */
    void write(Kept lease) throws IOException {
        Path temporary = path.resolveSibling(
                path.getFileName() + "." + ProcessHandle.current().pid() + ".new");
        Files.deleteIfExists(temporary);
        try {
            try (FileChannel channel = FileChannel.open(
                    temporary,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    ownerOnly())) {
                ByteBuffer bytes =
                        ByteBuffer.wrap((Json.write(json(lease)) + "\n").getBytes(UTF_8));
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(false);
            }
            Files.move(
                    temporary,
                    path,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Refuses a path where something else is, or where nothing can be written. */
    void ensureWritable() throws IOException {
        if (Files.exists(path)) {
            read();
        }
        Path directory = path.toAbsolutePath().getParent();
        if (directory == null || !Files.isDirectory(directory) || !Files.isWritable(directory)) {
            throw new IOException("can't write to the directory of " + path);
        }
    }

    Kept read() throws IOException {
        if (Files.isRegularFile(path) && Files.size(path) > MAX_BYTES) {
            throw new FileAlreadyExistsException(path.toString(), null, "it is no lease file");
        }
        try {
            JsonObject json = JsonReader.object(Files.readString(path));
            if (!json.text("kind").equals(KIND)) {
                throw new JsonException("another kind of file");
            }
            List<Scope> scopes = new ArrayList<>();
            for (String scope : json.texts("scopes")) {
                scopes.add(Scope.parse(scope));
            }
            Claim claim = new Claim(scopes, Mode.valueOf(json.text("mode")));
            Holding holding = new Holding(
                    claim, new Holder(json.text("holder")), new FencingToken(json.number("token")));
            String store = json.text("storeId");
            return new Kept(
                    new Grant(holding, LeaseId.parse(json.text("leaseId")), json.duration("ttl")),
                    store.isEmpty() ? Optional.empty() : Optional.of(StoreId.parse(store)));
        } catch (JsonException | IllegalArgumentException e) {
            throw new FileAlreadyExistsException(path.toString(), null, "it is no lease file");
        }
    }

    void delete() throws IOException {
        Files.deleteIfExists(path);
    }

    private static Object json(Kept lease) {
        Grant grant = lease.grant();
        return Json.object(
                "kind", KIND,
                "scopes",
                        grant.holding().claim().scopes().stream()
                                .map(Scope::toString)
                                .toList(),
                "mode", grant.holding().claim().mode().name(),
                "token", grant.token().toString(),
                "leaseId", grant.id().reveal(),
                "holder", grant.holding().holder().label(),
                "ttl", Durations.write(grant.ttl()),
                "storeId", lease.store().map(StoreId::toString).orElse(""));
    }

    private static FileAttribute<?>[] ownerOnly() {
        boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }
}
