// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class SerialTest {

    private final Queue<Runnable> turns = new ArrayDeque<>();
    private final Serial serial = new Serial(turns::add);
    private final List<String> ran = new ArrayList<>();

    /** Everything here runs on one thread, which a lock that it has kept does not stop. */
    @AfterEach
    void noThreadHasKeptTheLock() {
        CompletableFuture.runAsync(() -> serial.execute(() -> ran.add("last")))
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    @Test
    void eachTaskIsATurnOfItsOwnInTheOrderTheyCame() {
        serial.execute(() -> ran.add("first"));
        serial.execute(() -> ran.add("second"));
        assertThat(turns).hasSize(1);
        turns.remove().run();
        assertThat(ran).containsExactly("first");
        assertThat(turns).hasSize(1);
        turns.remove().run();
        assertThat(ran).containsExactly("first", "second");
        assertThat(turns).isEmpty();
        serial.execute(() -> ran.add("third"));
        assertThat(turns).hasSize(1);
    }

    @Test
    void aTaskThatComesWhileOneRunsIsRunAfterIt() {
        serial.execute(() -> {
            serial.execute(() -> ran.add("inner"));
            assertThat(turns).isEmpty();
            ran.add("outer");
        });
        while (!turns.isEmpty()) {
            turns.remove().run();
        }
        assertThat(ran).containsExactly("outer", "inner");
    }

    @Test
    void aTaskThatFailsStopsNoOther() {
        serial.execute(() -> {
            throw new IllegalStateException("thrown by a test's task");
        });
        serial.execute(() -> ran.add("second"));
        while (!turns.isEmpty()) {
            turns.remove().run();
        }
        assertThat(ran).containsExactly("second");
    }

    @Test
    void aTaskThatEndsInAFatalErrorStopsNoOther() {
        OutOfMemoryError fatal = new OutOfMemoryError("thrown by a test's task");
        serial.execute(() -> {
            throw fatal;
        });
        serial.execute(() -> ran.add("second"));
        assertThatThrownBy(() -> turns.remove().run()).isSameAs(fatal);
        turns.remove().run();
        assertThat(ran).containsExactly("second");
    }
}
