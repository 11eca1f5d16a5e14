// SPDX-License-Identifier: Apache-2.0
package io.leasehold.spi;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * Who may read and write the files: new ones are their owner's alone, and a file that replaces
 * another one takes over its owner, group and mode. On systems without these, nothing is done.
 */
final class FileModes {

    private static final boolean POSIX =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private FileModes() {}

    /** Makes an empty file with mode 0600, if there is none. */
    static void createFile(Path file) throws IOException {
        if (Files.exists(file)) {
            return;
        }
        try {
            Files.createFile(file, attributes("rw-------"));
        } catch (FileAlreadyExistsException e) {
            // it stays as it is
        }
    }

    /** Makes directories with mode 0700, where they are missing. */
    static void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, attributes("rwx------"));
    }

    private static FileAttribute<?>[] attributes(String mode) {
        return POSIX
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode))
                }
                : new FileAttribute<?>[0];
    }

    /**
     * Gives one file the owner, group and mode of another, if that is there. An owner or a group
     * that this process may not give stays what it is; a group that is another than before gets no
     * more than everybody has.
     */
    static void copy(Path from, Path to) throws IOException {
        if (!POSIX) {
            return;
        }
        PosixFileAttributes wanted;
        try {
            wanted = Files.readAttributes(from, PosixFileAttributes.class);
        } catch (NoSuchFileException e) {
            return;
        }
        PosixFileAttributeView view = Files.getFileAttributeView(to, PosixFileAttributeView.class);
        PosixFileAttributes found = view.readAttributes();
        if (!wanted.owner().equals(found.owner())) {
            boolean unused = isDone(() -> view.setOwner(wanted.owner()));
        }
        boolean sameGroup =
                wanted.group().equals(found.group()) || isDone(() -> view.setGroup(wanted.group()));
        Set<PosixFilePermission> mode = EnumSet.noneOf(PosixFilePermission.class);
        mode.addAll(wanted.permissions());
        if (!sameGroup) {
            withoutGroup(mode);
        }
        if (!mode.equals(found.permissions())) {
            view.setPermissions(mode);
        }
    }

    private static void withoutGroup(Set<PosixFilePermission> mode) {
        if (!mode.contains(PosixFilePermission.OTHERS_READ)) {
            mode.remove(PosixFilePermission.GROUP_READ);
        }
        if (!mode.contains(PosixFilePermission.OTHERS_WRITE)) {
            mode.remove(PosixFilePermission.GROUP_WRITE);
        }
        if (!mode.contains(PosixFilePermission.OTHERS_EXECUTE)) {
            mode.remove(PosixFilePermission.GROUP_EXECUTE);
        }
    }

    /** A change of a file's owner or group. */
    private interface Change {
        void run() throws IOException;
    }

    private static boolean isDone(Change change) {
        try {
            change.run();
            return true;
        } catch (IOException e) {
            return false; // only the superuser gives files away
        }
    }
}
