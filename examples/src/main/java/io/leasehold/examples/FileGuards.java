// SPDX-License-Identifier: Apache-2.0
package io.leasehold.examples;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.guard.Admission;
import io.leasehold.guard.file.GuardedFile;
import io.leasehold.guard.file.GuardedRegionFile;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import java.nio.file.Path;
import java.time.Duration;

/** The snippets of docs/guards/file.md. */
final class FileGuards {

    private final Leasehold leasehold;
    private final Path directory;

    FileGuards(Leasehold leasehold, Path directory) {
        this.leasehold = leasehold;
        this.directory = directory;
    }

    String addLine(String line) {
        GuardedFile report = GuardedFile.open(directory.resolve("report"), Scope.name("report"));
        try (Lease lease = leasehold.lock("report").acquire(Duration.ofSeconds(5))) {
            report.write(lease.token(), file -> {
                String text = new String(file.bytes(), UTF_8) + line + "\n";
                file.replace(text.getBytes(UTF_8));
            });
        }
        return new String(GuardedFile.read(directory.resolve("report")), UTF_8);
    }

    byte[] fillPage(byte[] page) {
        GuardedRegionFile disk =
                GuardedRegionFile.open(directory.resolve("disk.img"), Scope.inode(4711));
        Scope range = Scope.range(4711, 4096, 8192);
        try (Lease lease = leasehold.lock(range).acquire(Duration.ofSeconds(5))) {
            Admission admission = lease.admission(range);
            disk.seal(admission); // before the first read
            disk.write(admission, file -> file.write(4096, page));
        }
        return disk.read(4096, page.length);
    }

    String lateWriter(Lease stale, byte[] page) {
        GuardedRegionFile disk =
                GuardedRegionFile.open(directory.resolve("disk.img"), Scope.inode(4711));
        Admission late = Admission.of(stale.token(), Scope.range(4711, 4096, 8192));
        try {
            disk.write(late, file -> file.write(4096, page));
            return "written";
        } catch (StaleTokenException e) {
            return "token " + e.token() + " came after token " + e.mark();
        }
    }
}
