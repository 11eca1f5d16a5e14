// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.cli.json.JsonObject;
import io.leasehold.cli.json.JsonReader;
import io.leasehold.server.LeaseholdServer;
import io.leasehold.server.ServerOptions;
import io.leasehold.server.engine.StoreAddress;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The commands as real processes against a real server. */
@Execution(ExecutionMode.CONCURRENT)
final class CommandsOnServerTest {

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path directory;

    private final Map<String, String> environment = new HashMap<>();
    private final List<CommandProcess> started = new ArrayList<>();
    private final LeaseholdServer server =
            LeaseholdServer.start(ServerOptions.on(StoreAddress.parse("memory")).withPort(0));

    @BeforeEach
    void pointToTheServer() {
        environment.put("LEASEHOLD_SERVER", "http://127.0.0.1:" + server.port());
    }

    @AfterEach
    void endAll() throws InterruptedException {
        for (CommandProcess process : started) {
            process.kill();
        }
        server.close();
    }

    private CommandProcess start(String... args) throws IOException {
        CommandProcess process = CommandProcess.start(directory, environment, args);
        started.add(process);
        return process;
    }

    private CommandProcess run(int expected, String... args) throws Exception {
        CommandProcess process = start(args);
        assertThat(process.code()).as(process.err()).isEqualTo(expected);
        return process;
    }

    private JsonObject json(String... args) throws Exception {
        List<String> all = new ArrayList<>(List.of(args));
        all.add("--output");
        all.add("json");
        return JsonReader.object(run(0, all.toArray(String[]::new)).out());
    }

    private Path file(String name) {
        return directory.resolve(name);
    }

    /** What the server says of a lock; asked from here, because a process each takes its time. */
    private JsonObject shown(String name) {
        StringWriter out = new StringWriter();
        int code = Main.commandLine("show")
                .setOut(new PrintWriter(out, true))
                .execute(
                        "show",
                        name,
                        "--server",
                        environment.getOrDefault("LEASEHOLD_SERVER", ""),
                        "--output",
                        "json");
        assertThat(code).isZero();
        return JsonReader.object(out.toString());
    }

    private boolean isHeld(String name) {
        return shown(name).flag("held");
    }

    private void awaitWaiter(String name) throws Exception {
        Await.until(() -> shown(name).objects("leases").get(0).number("waiters") == 1);
    }

    /** Takes the lock away from its holder, unless it has lost it before on a very busy machine. */
    private void takeAway(String name) throws Exception {
        CommandProcess process =
                start("force-release", name, "--token", "1", "--comment", "a test", "--yes");
        assertThat(process.code()).as(process.err()).isIn(0, 76);
    }

    // ---- another store

    @Test
    void aLeaseFileIsNotTakenToAnotherStore() throws Exception {
        run(0, "acquire", "--lock", "job", "--ttl", "10m", "--lease-file", "lease");
        String ours = JsonReader.object(Files.readString(file("lease"))).text("storeId");
        try (LeaseholdServer other = LeaseholdServer.start(
                ServerOptions.on(StoreAddress.parse("memory")).withPort(0))) {
            String there = "http://127.0.0.1:" + other.port();
            for (String command : List.of("renew", "release")) {
                CommandProcess process =
                        run(76, command, "--lease-file", "lease", "--server", there);
                assertThat(process.err())
                        .contains("was granted by store " + ours + ", and this is store ");
            }
        }
        run(0, "release", "--lease-file", "lease");
    }

    @Test
    void theDoctorShowsTheStoreId() throws Exception {
        run(0, "acquire", "--lock", "job", "--ttl", "10m", "--lease-file", "lease");
        String ours = JsonReader.object(Files.readString(file("lease"))).text("storeId");
        assertThat(ours).hasSize(32);
        assertThat(run(0, "doctor").out()).contains("store id").contains(ours);
    }

    // ---- run

    @Test
    void runGivesTheCommandItsTokenAndScopeAndExitsWithItsCode() throws Exception {
        CommandProcess run = run(
                3,
                "run",
                "--lock",
                "job",
                "--",
                "sh",
                "-c",
                "echo \"$LEASEHOLD_TOKEN $LEASEHOLD_SCOPE\"; exit 3");
        assertThat(run.out()).isEqualTo("1 name:job\n");
        assertThat(run.err()).isEmpty();
        assertThat(isHeld("job")).isFalse();
    }

    @Test
    void runOfABusyLockSaysWhoHoldsIt() throws Exception {
        run(0, "acquire", "--lock", "job", "--ttl", "10m", "--lease-file", "lease");
        CommandProcess busy = run(75, "run", "--lock", "job", "--", "touch", "ran");
        assertThat(busy.err()).contains("lock 'job' is held by ").contains("(token 1)");
        assertThat(file("ran")).doesNotExist();
        CommandProcess waits = start("run", "--lock", "job", "--wait", "2m", "--", "touch", "ran");
        awaitWaiter("job");
        run(0, "release", "--lease-file", "lease");
        assertThat(waits.code()).isZero();
        assertThat(file("ran")).exists();
    }

    @Test
    void runKeepsTheLeaseForLongerThanItsTtl() throws Exception {
        CommandProcess run = run(
                0, "run", "--lock", "job", "--ttl", "10s", "--", "sh", "-c", "sleep 12; echo done");
        assertThat(run.out()).isEqualTo("done\n");
    }

    @Test
    void aLostLockStopsTheCommandAndAllItStartedEvenIfTheyIgnoreTerm() throws Exception {
        Path script = Files.writeString(file("stubborn"), """
                trap '' TERM
                (trap '' TERM; while :; do sleep 1; done) &
                echo $$ $! > pids.new; mv pids.new pids
                while :; do sleep 1; done
                """);
        CommandProcess run = start(
                "run",
                "--lock",
                "job",
                "--ttl",
                "6s",
                "--grace",
                "1s",
                "--",
                "sh",
                script.toString());
        Await.until(() -> Files.exists(file("pids")));
        List<String> pids = pids();
        takeAway("job");
        assertThat(run.code()).as(run.err()).isEqualTo(76);
        assertThat(run.err()).contains("lease lost", "the command was stopped");
        for (String pid : pids) {
            Await.until(() -> ProcessHandle.of(Long.parseLong(pid)).isEmpty());
        }
    }

    @Test
    void withoutAProcessGroupTheDescendantsAreStoppedToo() throws Exception {
        CommandProcess run = start(
                "run",
                "--lock",
                "job",
                "--ttl",
                "6s",
                "--grace",
                "1s",
                "--foreground",
                "--",
                "sh",
                "-c",
                "trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $$ $! > n; mv n pids;"
                        + " while :; do sleep 1; done");
        Await.until(() -> Files.exists(file("pids")));
        List<String> pids = pids();
        takeAway("job");
        assertThat(run.code()).as(run.err()).isEqualTo(76);
        for (String pid : pids) {
            Await.until(() -> ProcessHandle.of(Long.parseLong(pid)).isEmpty());
        }
    }

    @Test
    void signalsReachTheCommandAndItsCodeIsOurs() throws Exception {
        CommandProcess run = start(
                "run",
                "--lock",
                "job",
                "--",
                "sh",
                "-c",
                "trap 'echo hup >> got' HUP; trap 'echo int >> got' INT; trap 'exit 9' TERM;"
                        + " touch begun; while :; do sleep 0.1; done");
        Await.until(() -> Files.exists(file("begun")));
        Files.createFile(file("got"));
        String expected = "";
        for (String signal : List.of("HUP", "INT")) {
            assertThat(Programs.kill(signal, run.pid())).isTrue();
            // below nohup, and in the background of a shell, some are ignored, and by all that is
            // started
            expected += isIgnored(signal) ? "" : signal.toLowerCase(Locale.ROOT) + "\n";
            String soFar = expected;
            Await.until(() -> Files.readString(file("got")).equals(soFar));
        }
        assertThat(Programs.kill("TERM", run.pid())).isTrue();
        assertThat(run.code()).isEqualTo(9);
        assertThat(isHeld("job")).isFalse();
    }

    private static boolean isIgnored(String signal) throws Exception {
        String trap = "trap 'exit 7' " + signal + "; kill -s " + signal + " $$; exit 0";
        return new ProcessBuilder("/bin/sh", "-c", trap).start().waitFor() == 0;
    }

    @Test
    void aSignalWhileItWaitsEndsTheWait() throws Exception {
        run(0, "acquire", "--lock", "job", "--ttl", "10m", "--lease-file", "lease");
        CommandProcess waits = start("run", "--lock", "job", "--wait", "5m", "--", "touch", "ran");
        awaitWaiter("job");
        // a waiter that was suspended and goes on waits on
        assertThat(Programs.kill("CONT", waits.pid())).isTrue();
        assertThat(Programs.kill("TERM", waits.pid())).isTrue();
        assertThat(waits.code()).isEqualTo(143);
        assertThat(file("ran")).doesNotExist();
    }

    @Test
    void anUnreachableServerAndAMissingCommandHaveTheirCodes() throws Exception {
        run(127, "run", "--lock", "job", "--", "no-such-command-at-all");
        Files.writeString(file("plain"), "");
        run(126, "run", "--lock", "job", "--", "./plain");
        run(126, "run", "--lock", "job", "--foreground", "--", "./plain");
        run(126, "elect", "boss", "--foreground", "--", "./plain");
        run(2, "run", "--", "true");
        run(2, "run", "--lock", "job", "--ttl", "1ms", "--", "true");
        server.close();
        assertThat(run(69, "run", "--lock", "job", "--", "touch", "ran").err())
                .contains("can't reach http://127.0.0.1:");
        assertThat(file("ran")).doesNotExist();
        run(69, "token", "list");
        assertThat(run(69, "doctor").out()).contains("bad", "can't reach", "LEASEHOLD_SERVER");
    }

    // ---- scripts

    @Test
    void aScriptAcquiresRenewsAndReleases() throws Exception {
        JsonObject got = json("acquire", "--lock", "job", "--ttl", "10m", "--lease-file", "lease");
        assertThat(got.text("token")).isEqualTo("1");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file("lease"))))
                .isEqualTo("rw-------");
        String secret = JsonReader.object(Files.readString(file("lease"))).text("leaseId");
        run(75, "acquire", "--lock", "job", "--lease-file", "other");
        assertThat(file("other")).doesNotExist();
        CommandProcess renewed = run(0, "renew", "--lease-file", "lease");
        assertThat(renewed.out()).startsWith("renewed for ");
        assertThat(run(0, "list").out()).contains("name:job").doesNotContain(secret);
        assertThat(run(0, "show", "job", "--output", "json").out()).doesNotContain(secret);
        run(0, "release", "--lease-file", "lease");
        assertThat(file("lease")).doesNotExist();
        assertThat(isHeld("job")).isFalse();
    }

    @Test
    void aScriptMayKeepItsLeaseInTheEnvironment() throws Exception {
        String exported = run(
                        0,
                        "acquire",
                        "--scope",
                        "path:/var/it's",
                        "--shared",
                        "--ttl",
                        "10m",
                        "--export")
                .out();
        for (String line : exported.lines().toList()) {
            int equals = line.indexOf('=');
            environment.put(
                    line.substring("export ".length(), equals),
                    line.substring(equals + 2, line.length() - 1).replace("'\\''", "'"));
        }
        assertThat(json("renew").duration("remaining")).isGreaterThan(Duration.ofMinutes(4));
        run(0, "release");
        assertThat(run(76, "renew").err()).contains("is lost");
    }

    @Test
    void aScriptThatAsksAgainWithItsIdGetsItsLeaseAndAnotherRequestDoesNot() throws Exception {
        environment.put("LEASEHOLD_LEASE_ID", "00000000000000000000000000000001");
        assertThat(json("acquire", "--lock", "job", "--ttl", "10m").text("token"))
                .isEqualTo("1");
        assertThat(json("acquire", "--lock", "job", "--ttl", "10m").text("token"))
                .isEqualTo("1");
        assertThat(run(76, "acquire", "--lock", "other").err())
                .contains("LEASEHOLD_LEASE_ID is of a lease on other scopes");
        assertThat(run(76, "acquire", "--lock", "job", "--ttl", "2m").err())
                .contains("with another ttl");
        assertThat(isHeld("other")).isFalse();
    }

    @Test
    void aLockDelayIsToldAsWhatItIs() throws Exception {
        HttpRequest acquire = HttpRequest.newBuilder(
                        URI.create(environment.get("LEASEHOLD_SERVER") + "/v1/acquire"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"scopes\":[\"job\"],"
                        + "\"holder\":\"api-3\",\"ttl\":\"0.1s\",\"lockDelay\":\"60s\"}"))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(acquire, HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(200);
        Await.until(() -> shown("job").objects("leases").get(0).text("state").equals("lock-delay"));
        assertThat(isHeld("job")).isFalse();
        assertThat(run(0, "show", "job").out())
                .startsWith("name:job is in a lock-delay")
                .contains("api-3");
        assertThat(run(0, "list").out()).contains("lock-delay");
        assertThat(run(75, "acquire", "--lock", "job", "--export").err())
                .contains("is in the lock-delay after the lease of api-3 expired");
    }

    @Test
    void aLostLeaseOfAScriptIsTold() throws Exception {
        run(0, "acquire", "--lock", "job", "--ttl", "10m", "--lease-file", "lease");
        assertThat(run(1, "force-release", "job", "--token", "1", "--comment", "x")
                        .err())
                .contains("--yes");
        assertThat(json("force-release", "job", "--token", "1", "--comment", "x", "--yes")
                        .flag("ended"))
                .isTrue();
        run(76, "force-release", "job", "--token", "1", "--comment", "x", "--yes");
        run(76, "renew", "--lease-file", "lease");
        run(76, "release", "--lease-file", "lease");
    }

    /** As in the container, where the server has its store from there. */
    @Test
    void theStoreOfAServerInTheEnvironmentIsNotTheCommandsOwn() throws Exception {
        environment.put("LEASEHOLD_STORE", "journal:" + file("data"));
        run(0, "acquire", "--lock", "job", "--ttl", "10m", "--lease-file", "lease");
        assertThat(isHeld("job")).isTrue();
        assertThat(file("data")).doesNotExist();
    }

    @Test
    void anEmptyOptionIsWrongUsageAndNotTheDefault() throws Exception {
        for (String option :
                List.of("--namespace", "--server", "--token-file", "--ca", "--store")) {
            assertThat(run(2, "list", option, "").err()).contains(option + " is empty");
        }
    }

    // ---- for people

    @Test
    void listAndShowTellWhoHoldsWhat() throws Exception {
        assertThat(json("list").objects("leases")).isEmpty();
        run(
                0,
                "acquire",
                "--lock",
                "b",
                "--scope",
                "subtree:/var",
                "--ttl",
                "10m",
                "--lease-file",
                "lease");
        JsonObject lease =
                json("list", "--overlapping", "path:/var/x").objects("leases").get(0);
        assertThat(lease.texts("scopes")).containsExactly("name:b", "subtree:/var");
        assertThat(lease.text("mode")).isEqualTo("exclusive");
        assertThat(run(0, "show", "path:/var/x").out())
                .startsWith("path:/var/x is held")
                .contains("subtree:/var", "token        1");
        assertThat(run(0, "show", "c").out()).isEqualTo("name:c is free\n");
    }

    @Test
    void watchTellsWhatHappens() throws Exception {
        CommandProcess watch = start("watch", "--overlapping", "job", "--output", "json");
        Await.until(() -> {
            run(0, "run", "--lock", "job", "--", "true");
            return watch.out().lines().count() >= 2;
        });
        JsonObject first = JsonReader.object(watch.out().lines().findFirst().orElseThrow());
        assertThat(first.text("event")).isIn("granted", "released");
        assertThat(first.texts("scopes")).containsExactly("name:job");
        assertThat(watch.isAlive()).isTrue();
    }

    @Test
    void electLeadsInTurn() throws Exception {
        CommandProcess first = start(
                "elect",
                "boss",
                "--ttl",
                "6s",
                "--publish",
                "host-1",
                "--",
                "sh",
                "-c",
                "echo $LEASEHOLD_TOKEN >> terms; exec sleep 600");
        Await.until(() -> Files.exists(file("terms")));
        CommandProcess second = start(
                "elect",
                "boss",
                "--ttl",
                "6s",
                "--once",
                "--",
                "sh",
                "-c",
                "echo $LEASEHOLD_TOKEN >> terms; exit 5");
        awaitWaiter("boss");
        assertThat(run(0, "show", "boss").out()).contains("host-1");
        takeAway("boss");
        assertThat(second.code()).as(second.err()).isEqualTo(5);
        Await.until(() -> Files.readAllLines(file("terms")).size() >= 3);
        assertThat(Files.readAllLines(file("terms"))).startsWith("1", "2", "3");
        assertThat(Programs.kill("TERM", first.pid())).isTrue();
        assertThat(first.code()).as(first.err()).isEqualTo(143);
        assertThat(first.err()).contains("elected for 'boss', token 1", "no longer leading");
    }

    @Test
    void theDoctorTellsOfEngineAndSettings() throws Exception {
        String text = run(0, "doctor").out();
        assertThat(text)
                .contains("it answers", "memory: not durable", "latency", "clock")
                .contains("environment LEASEHOLD_SERVER", "default");
        assertThat(json("doctor").objects("settings")).isNotEmpty();
    }

    @Test
    void benchMeasures() throws Exception {
        assertThat(run(0, "bench", "--duration", "1s", "--clients", "2").out())
                .contains("acquire", "renew", "release", "P99 MS", "0 failures");
        assertThat(json("bench", "--duration", "500ms", "--locks", "1").objects("operations"))
                .hasSize(3);
    }

    private List<String> pids() throws IOException {
        return List.of(Files.readString(file("pids")).strip().split(" ", -1));
    }
}
