// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.model.DamagedFileException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Disk;
import io.leasehold.spi.DiskFile;
import io.leasehold.spi.DiskLock;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The file that says who may do what: principals with the hashes of their bearer tokens, or with
 * certificates, and their rules. Changed by atomic replace, so that whoever reads it gets the old
 * one or the new one, also after a crash; one change at a time over all processes. Readable by its
 * owner alone. Thread-safe.
 */
public final class TokenFile {

    private final Disk disk;
    private final Path file;
    private final PrivateFiles files;

    TokenFile(Disk disk, Path file, PrivateFiles files) {
        this.disk = disk;
        this.file = file.toAbsolutePath();
        this.files = files;
    }

    /** The file at this path, which need not be there yet. */
    public static TokenFile at(Path file) {
        return new TokenFile(Disk.system(), file, PrivateFiles.SYSTEM);
    }

    public Path path() {
        return file;
    }

    /**
     * Makes a token for a new principal, and the file if there is none.
     *
     * @return the token, which is told here and nowhere else
     * @throws IllegalArgumentException with words for people if the name is taken or a rule broken
     * @throws DamagedFileException if the file can't be understood; it stays as it is
     * @throws StoreUnavailableException if it can't be read or written
     */
    public String create(String name, List<AccessRule> rules) {
        String secret = Secrets.mint();
        add(new TokenEntry(name, Optional.of(Secrets.hash(secret)), rules));
        return secret;
    }

    /** Lets in whoever has a certificate with this common name; otherwise as {@link #create}. */
    public void createForCertificate(String name, List<AccessRule> rules) {
        add(new TokenEntry(name, Optional.empty(), rules));
    }

    /** All principals in the order in which they were added; none if there is no file. */
    public List<TokenEntry> list() {
        try {
            return disk.exists(file) ? TokenLines.read(file, bytes()) : List.of();
        } catch (IOException e) {
            throw unavailable("read", e);
        }
    }

    /**
     * Takes a principal away: its token or certificate is worthless from now on.
     *
     * @return false if there was none of this name
     */
    public boolean revoke(String name) {
        return change(entries -> entries.removeIf(entry -> entry.name().equals(name)));
    }

    private void add(TokenEntry entry) {
        change(entries -> {
            if (entries.stream().anyMatch(other -> other.name().equals(entry.name()))) {
                throw new IllegalArgumentException("there is a principal '" + entry.name()
                        + "' already; revoke it first, or take another name");
            }
            if (entries.size() >= TokenLines.MAX_ENTRIES) {
                throw new IllegalArgumentException("there are " + entries.size()
                        + " principals, which is the most; revoke one first");
            }
            return entries.add(entry);
        });
    }

    /** The file's bytes as they are. */
    byte[] bytes() throws IOException {
        try (DiskFile opened = disk.openToRead(file)) {
            long size = opened.size();
            if (size > TokenLines.MAX_BYTES) {
                throw new IOException("it is longer than " + TokenLines.MAX_BYTES + " bytes");
            }
            ByteBuffer bytes = ByteBuffer.allocate((int) size);
            opened.read(0, bytes);
            return bytes.array();
        }
    }

    private interface Change {
        /** Whether anything was changed. */
        boolean apply(List<TokenEntry> entries);
    }

    private boolean change(Change change) {
        try {
            DiskLock lock = disk.lock(sibling(".lock"), "a change of tokens");
            try {
                List<TokenEntry> entries = new ArrayList<>(list());
                boolean changed = change.apply(entries);
                if (changed) {
                    replace(TokenLines.write(entries));
                }
                return changed;
            } finally {
                lock.close();
            }
        } catch (IOException e) {
            throw unavailable("change", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("change", new IOException("interrupted", e));
        }
    }

    private void replace(byte[] bytes) throws IOException {
        Path fresh = sibling(".new");
        files.create(fresh);
        try (DiskFile opened = disk.create(fresh)) {
            opened.write(0, ByteBuffer.wrap(bytes));
            opened.forceAll();
        }
        disk.replace(fresh, file);
        disk.forceDirectory(directory());
    }

    private Path directory() {
        return Optional.ofNullable(file.getParent()).orElse(file);
    }

    private Path sibling(String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    private StoreUnavailableException unavailable(String what, IOException e) {
        String why = e instanceof NoSuchFileException ? "there is none" : e.getMessage();
        return new StoreUnavailableException(
                "cannot " + what + " the token file " + file + ": " + why, e);
    }
}
