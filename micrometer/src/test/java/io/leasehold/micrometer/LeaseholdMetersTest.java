// SPDX-License-Identifier: Apache-2.0
package io.leasehold.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.leasehold.Codec;
import io.leasehold.Digest;
import io.leasehold.ElectionOptions;
import io.leasehold.Environment;
import io.leasehold.Lease;
import io.leasehold.Leasehold;
import io.leasehold.LeaseholdOptions;
import io.leasehold.guard.Guard;
import io.leasehold.guard.MemoryGuard;
import io.leasehold.listener.AcquireBegan;
import io.leasehold.listener.AcquireEnded;
import io.leasehold.memory.MemoryLeaseStore;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import io.leasehold.table.TableOptions;
import io.leasehold.testkit.VirtualTime;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What Prometheus reads of an application. */
final class LeaseholdMetersTest {

    private static final Path PAGE = Path.of("..", "docs", "metrics.md");

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final LeaseholdMeters meters = LeaseholdMeters.in(registry);
    private final VirtualTime time = VirtualTime.create();
    private final MemoryLeaseStore store = MemoryLeaseStore.create(TableOptions.defaults(), time);
    private final Leasehold leasehold = Leasehold.on(
            store,
            LeaseholdOptions.defaults()
                    .withListener(meters)
                    .withWorkers(Runnable::run)
                    .withEnvironment(
                            new Environment(time, Runnable::run, new SplittableRandom(1))));

    /** The value of a series, such as {@code leasehold_leases_active{lock="ledger"}}. */
    private double value(String series) {
        return registry.scrape()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(series + " is not in " + registry.scrape()));
    }

    // ---- the five names that alerts and dashboards know

    @Test
    void aGuardCountsConflictsAndTimesItsChecks() {
        Guard<StringBuilder> guard =
                MemoryGuard.around("ledger/42", new StringBuilder()).reportingTo(meters);
        guard.write(new FencingToken(7), text -> {
            assertThat(value("active_fenced_operations{operation=\"write\",resource=\"ledger\"}"))
                    .isEqualTo(1);
        });
        assertThatThrownBy(() -> guard.write(new FencingToken(6), text -> {}))
                .isInstanceOf(StaleTokenException.class);
        assertThat(value("active_fenced_operations{operation=\"write\",resource=\"ledger\"}"))
                .isZero();
        assertThat(value("fencing_token_conflicts_total{operation=\"write\",resource=\"ledger\"}"))
                .isEqualTo(1);
        assertThat(value("stale_fencing_token_total{resource=\"ledger\"}")).isEqualTo(1);
        assertThat(value("fencing_validation_duration_seconds_count"
                        + "{operation=\"write\",resource=\"ledger\"}"))
                .isEqualTo(2);
        assertThat(value("fencing_validation_duration_seconds_bucket"
                        + "{operation=\"write\",resource=\"ledger\",le=\"+Inf\"}"))
                .isEqualTo(2);
    }

    @Test
    void aRenewalThatTheStoreRefusesIsCountedByReasonAndItsLeaseAsLost() {
        Lease lease = leasehold.lock("ledger/42").acquire(Duration.ZERO);
        store.forceRelease(lease.scope(), lease.token());
        time.advance(Duration.ofSeconds(15));
        assertThat(value("lease_renewal_rejected_total{reason=\"not_found\"}")).isEqualTo(1);
        assertThat(value("lease_renewal_rejected_total{reason=\"expired\"}")).isZero();
        assertThat(value("leasehold_leases_lost_total{lock=\"ledger\",reason=\"refused\"}"))
                .isEqualTo(1);
        assertThat(value("leasehold_leases_active{lock=\"ledger\"}")).isZero();
    }

    @Test
    void aValidationThatFailsIsAConflictAndNoStaleToken() {
        Lease lease = leasehold.lock("ledger/42").acquire(Duration.ZERO);
        store.forceRelease(lease.scope(), lease.token());
        assertThat(lease.validate()).isFalse();
        assertThat(
                        value(
                                "fencing_token_conflicts_total{operation=\"validate\",resource=\"ledger\"}"))
                .isEqualTo(1);
        assertThat(value("stale_fencing_token_total{resource=\"ledger\"}")).isZero();
    }

    // ---- locks and primitives

    @Test
    void acquiresWaitsAndHoldsAreTimedByFamily() {
        Lease first = leasehold.lock("ledger/42").acquire(Duration.ZERO);
        var unused = leasehold.lock("ledger/42").acquireAsync(Duration.ofMinutes(1));
        assertThat(value("leasehold_acquires_waiting{lock=\"ledger\"}")).isEqualTo(1);
        assertThat(value("leasehold_leases_active{lock=\"ledger\"}")).isEqualTo(1);
        time.advance(Duration.ofSeconds(3));
        first.close();
        assertThat(value("leasehold_acquires_waiting{lock=\"ledger\"}")).isZero();
        assertThat(value("leasehold_acquire_seconds_sum{lock=\"ledger\",outcome=\"granted\"}"))
                .isEqualTo(3);
        assertThat(value("leasehold_lease_held_seconds_sum{lock=\"ledger\"}")).isEqualTo(3);
        assertThat(leasehold.lock("ledger/42").tryAcquire()).isEmpty();
        assertThat(value("leasehold_acquire_seconds_count{lock=\"ledger\",outcome=\"busy\"}"))
                .isEqualTo(1);
    }

    @Test
    void renewalsAreCountedAndTheirLatenessIsTimed() {
        Lease lease = leasehold.lock("ledger/42").acquire(Duration.ZERO);
        time.advance(Duration.ofSeconds(15));
        assertThat(lease.isValid()).isTrue();
        assertThat(value("leasehold_renewals_total{outcome=\"renewed\"}")).isEqualTo(1);
        assertThat(value("leasehold_renewal_lateness_seconds_count")).isEqualTo(1);
    }

    @Test
    void idempotentCallsFlightsAndTermsAreTimedByFamily() {
        causeAll();
        assertThat(value("leasehold_idempotent_call_seconds_count"
                        + "{family=\"payments\",outcome=\"replayed\"}"))
                .isEqualTo(1);
        assertThat(value("leasehold_flight_seconds_count{family=\"reports\",outcome=\"led\"}"))
                .isEqualTo(1);
        assertThat(value("leasehold_election_term_seconds_sum{office=\"billing\"}"))
                .isEqualTo(2);
        assertThat(value("leasehold_election_leading{office=\"billing\"}")).isZero();
    }

    private void causeAll() {
        try (Lease lease = leasehold.lock("ledger/42").acquire(Duration.ZERO)) {
            MemoryGuard.around("ledger/42", "").reportingTo(meters).admit(lease.token());
        }
        var payments = leasehold.idempotency("payments", Codec.strings(), Duration.ofDays(1));
        for (int i = 0; i < 2; i++) {
            payments.once("k", Digest.of("10"), token -> "paid");
        }
        leasehold.singleFlight("reports", Codec.strings()).get("june", token -> "sunny");
        leasehold.election("billing", ElectionOptions.defaults().once(), term -> {
            assertThat(value("leasehold_election_leading{office=\"billing\"}")).isEqualTo(1);
            time.advance(Duration.ofSeconds(2));
        });
    }

    // ---- names

    @Test
    void thePageListsWhatPrometheusReadsAndNothingElse() throws IOException {
        causeAll();
        assertThat(scraped()).isEqualTo(listed());
    }

    private Set<String> scraped() {
        Set<String> names = new TreeSet<>();
        registry.scrape()
                .lines()
                .filter(line -> line.startsWith("# TYPE "))
                .map(line -> line.substring("# TYPE ".length(), line.lastIndexOf(' ')))
                .filter(name -> !name.endsWith("_max"))
                .forEach(names::add);
        return names;
    }

    /** The names in the table of the page that is for applications. */
    private static Set<String> listed() throws IOException {
        String page = Files.readString(PAGE);
        String table = page.substring(page.indexOf("| name |"), page.indexOf("| label | values |"));
        Matcher name = Pattern.compile("(?m)^\\| `([a-z_]+)`").matcher(table);
        Set<String> names = new TreeSet<>();
        while (name.find()) {
            names.add(name.group(1));
        }
        return names;
    }

    @Test
    void aFamilyIsWhatComesBeforeTheFirstSlash() {
        List<Scope> scopes = List.of(
                Scope.name("ledger/42/7"),
                Scope.name("nightly"),
                Scope.path("/data/a"),
                Scope.subtree("/data/b/c"),
                Scope.inode(4711));
        assertThat(scopes.stream().map(MeterOptions.defaults().family()))
                .containsExactly("ledger", "nightly", "/data", "/data", "inode");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> MeterOptions.defaults().withMaxFamilies(0))
                .withMessage("maxFamilies 0 is outside 1 to 10000");
    }

    @Test
    void aMillionNamesAreABoundedNumberOfSeries() {
        LeaseholdMeters few = LeaseholdMeters.in(
                registry, MeterOptions.defaults().withFamily(Scope::toString).withMaxFamilies(10));
        long before = 0;
        for (int i = 0; i < 1_000_000; i++) {
            AcquireBegan began =
                    new AcquireBegan(Claim.exclusive(Scope.name("name-" + i)), Duration.ZERO);
            few.onAcquireBegin(began);
            few.onAcquireEnd(new AcquireEnded(
                    began, AcquireEnded.Outcome.BUSY, Optional.empty(), Duration.ZERO));
            if (i == 10) {
                before = registry.getMeters().size();
            }
        }
        assertThat(registry.getMeters()).hasSize((int) before);
        assertThat(value("leasehold_acquire_seconds_count{lock=\"other\",outcome=\"busy\"}"))
                .isEqualTo(1_000_000 - 10);
    }
}
