// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.spi.Guarantees;
import io.leasehold.spi.Time;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What the doctor does. */
final class Examination {

    private static final int PINGS = 10;
    private static final Duration NOTABLE_STEP = Duration.ofSeconds(1);
    private static final Duration SLOW = Duration.ofMillis(250);

    private final List<Finding> findings = new ArrayList<>();
    private final Time time = Time.system();

    void add(Finding finding) {
        findings.add(finding);
    }

    List<Finding> findings() {
        return List.copyOf(findings);
    }

    void look(Backend backend) {
        long nanos = time.nanos();
        long wall = time.wallMillis();
        Backend.Info info = backend.info();
        add(Finding.ok("reach", "it answers"));
        version(info);
        if (info.stopping()) {
            add(Finding.bad("stopping", "it is about to stop, and grants nothing more"));
        }
        guarantees(info.guarantees());
        if (!info.storeId().isEmpty()) {
            add(Finding.ok("store id", info.storeId()));
        }
        latency(backend);
        clock("server's clock", info.clockStep());
        long passed = Duration.ofNanos(time.nanos() - nanos).toMillis();
        clock("our clock", Duration.ofMillis(time.wallMillis() - wall - passed));
    }

    private void version(Backend.Info info) {
        String own = Version.number();
        add(
                info.version().equals(own)
                        ? Finding.ok("version", own)
                        : Finding.warning(
                                "version", "it is " + info.version() + ", this command is " + own));
    }

    private void guarantees(Guarantees guarantees) {
        add(Finding.ok(
                "engine",
                guarantees.engine() + ": "
                        + (guarantees.durable() ? "durable" : "not durable")
                        + (guarantees.survivesFailover()
                                ? ", survives the loss of a machine"
                                : ", on one machine")
                        + ", " + JournalJson.lower(guarantees.clock()) + " clock"
                        + (guarantees.fairQueue()
                                ? ", first come first served"
                                : ", without a fair queue")));
        for (String caveat : guarantees.caveats()) {
            add(Finding.warning("caveat", caveat));
        }
    }

    private void latency(Backend backend) {
        long[] nanos = new long[PINGS];
        for (int i = 0; i < PINGS; i++) {
            long sent = time.nanos();
            backend.info();
            nanos[i] = time.nanos() - sent;
        }
        Arrays.sort(nanos);
        String detail = String.format(
                Locale.ROOT,
                "%.1f ms in the middle, %.1f ms at worst, of %d",
                nanos[PINGS / 2] / 1e6,
                nanos[PINGS - 1] / 1e6,
                PINGS);
        add(
                nanos[PINGS / 2] > SLOW.toNanos()
                        ? Finding.warning("latency", detail + ": choose long ttls")
                        : Finding.ok("latency", detail));
    }

    private void clock(String whose, Duration step) {
        String moved = String.format(Locale.ROOT, "%.3f s", step.toMillis() / 1000.0);
        add(
                step.abs().compareTo(NOTABLE_STEP) > 0
                        ? Finding.warning(
                                whose, "it was set, or slewed, by " + moved + " since the start")
                        : Finding.ok(whose, "moved by " + moved + " beside the monotonic one"));
    }

    /** A secret that others can read is none. */
    void tokenFile(Setting file) {
        if (!file.isSet()) {
            return;
        }
        try {
            Set<PosixFilePermission> permissions =
                    Files.getPosixFilePermissions(Path.of(file.value()));
            boolean open = permissions.contains(PosixFilePermission.GROUP_READ)
                    || permissions.contains(PosixFilePermission.OTHERS_READ);
            add(
                    open
                            ? Finding.bad(
                                    "token file", "others can read it: chmod 600 " + file.value())
                            : Finding.ok("token file", "only its owner can read it"));
        } catch (IOException e) {
            add(Finding.bad("token file", FileErrors.words(e)));
        } catch (UnsupportedOperationException e) {
            add(Finding.warning("token file", "this system does not tell who can read it"));
        }
    }
}
