// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LimitExceededException;
import io.leasehold.model.Scope;
import io.leasehold.model.StaleTokenException;
import io.leasehold.testkit.RedisBinary;
import io.leasehold.testkit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each guarded write on a real server: what it does, and that a stale one does nothing. */
abstract class FencedKeysRules {

    private static final String MARK = "{orders:42}:fence";

    private final RedisServer server;
    private final RedisGuard redis;
    private final FencedKey order;
    private final FencedKeys keys;

    FencedKeysRules(RedisBinary binary) {
        server = RedisServer.start(binary);
        redis = RedisGuard.connect(server.uri());
        order = redis.key("orders:42");
        keys = redis.keys("orders:42");
    }

    @AfterEach
    void close() {
        redis.close();
        server.close();
    }

    @Test
    void theMarkStandsBesideTheKeyAndHasNoTimeToLive() {
        order.set(token(7), "paid");

        assertThat(order.markKey()).isEqualTo(MARK);
        assertThat(server.command("GET", MARK)).isEqualTo("7");
        assertThat(server.command("TTL", MARK)).isEqualTo(-1L);
        assertThat(server.command("GET", "orders:42")).isEqualTo("paid");
    }

    @Test
    void everyWriteRefusesAnOlderTokenAndTakesTheSameAgain() {
        List<Consumer<FencingToken>> writes = List.of(
                token -> order.set(token, "paid"),
                token -> order.set(token, new byte[] {1, -1}),
                token -> order.set(token, "paid", Duration.ofMinutes(1)),
                order::delete,
                token -> order.increment(token, 5),
                order::delete,
                token -> order.hset(token, Map.of("state", "paid")),
                token -> order.run(token, "return redis.call('HSET', KEYS[1], 'a', ARGV[1])", "b"),
                order::admit,
                order::seal);
        for (int i = 0; i < writes.size(); i++) {
            long mark = 10L + i;
            writes.get(i).accept(token(mark));
            writes.get(i).accept(token(mark));
            Object before = server.command("DUMP", "orders:42");

            Consumer<FencingToken> write = writes.get(i);
            assertThatExceptionOfType(StaleTokenException.class)
                    .as("write " + i)
                    .isThrownBy(() -> write.accept(token(mark - 1)))
                    .withMessage("stale token " + (mark - 1) + ": orders:42 has seen token " + mark)
                    .satisfies(stale -> assertThat(stale.mark()).isEqualTo(token(mark)));
            assertThat(server.command("DUMP", "orders:42")).isEqualTo(before);
            assertThat(order.mark()).contains(token(mark));
        }
    }

    @Test
    void aValueWithATimeToLiveGoesAndItsMarkStays() {
        order.set(token(3), "offer", Duration.ofMillis(40));
        assertThat((Long) server.command("PTTL", "orders:42")).isBetween(-2L, 40L);
        order.set(token(3), "offer", Duration.ofHours(1));
        assertThat((Long) server.command("TTL", "orders:42")).isBetween(3_500L, 3_600L);

        server.command("PEXPIRE", "orders:42", "0");
        assertStale(() -> order.set(token(2), "late"));
    }

    @Test
    void fieldsOfAHashAreAddedAndCounted() {
        assertThat(order.hset(token(1), Map.of("state", "new", "sum", "12"))).isEqualTo(2);
        assertThat(order.hset(token(1), Map.of("state", "paid", "by", "ada"))).isEqualTo(1);
        assertThat(server.command("HGET", "orders:42", "state")).isEqualTo("paid");
        assertThat(server.command("HLEN", "orders:42")).isEqualTo(3L);
    }

    @Test
    void aHashOfAsManyFieldsAsAreAllowedIsWrittenWhole() {
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i < KeyWrites.MAX_FIELDS; i++) {
            fields.put("field" + i, "value" + i);
        }
        assertThat(order.hset(token(1), fields)).isEqualTo(KeyWrites.MAX_FIELDS);
        assertThat(server.command("HGET", "orders:42", "field9999")).isEqualTo("value9999");

        fields.put("one more", "");
        assertThatExceptionOfType(LimitExceededException.class)
                .isThrownBy(() -> order.hset(token(1), fields));
    }

    @Test
    void aDeletedKeyDoesNotComeBackByAnOlderHolder() {
        order.set(token(4), "paid");
        assertThat(order.delete(token(5))).isTrue();
        assertThat(order.delete(token(5))).isFalse();

        assertStale(() -> order.set(token(4), "late"));
        assertThat(server.command("GET", "orders:42")).isNull();
    }

    @Test
    void aCounterIsExactUpToItsBounds() {
        long most = FencingToken.MAX_VALUE;
        assertThat(order.increment(token(1), -3)).isEqualTo(-3);
        assertThat(order.increment(token(1), most)).isEqualTo(most - 3);
        assertThat(order.increment(token(1), 3)).isEqualTo(most);
        assertRefused(() -> order.increment(token(2), 1), "the sum is outside");
        assertThat(order.mark()).contains(token(1));
        assertThat(server.command("GET", "orders:42")).isEqualTo(Long.toString(most));

        for (String text : List.of("1.5", "", "007", "-0", "9007199254740992", " 1", "nan")) {
            server.command("SET", "orders:42", text);
            assertRefused(() -> order.increment(token(2), 1), "it holds no number");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> order.increment(token(2), Long.MIN_VALUE));
    }

    @Test
    void aKeyOfTheWrongTypeIsRefusedBeforeAnythingIsWritten() {
        server.command("RPUSH", "orders:42", "a");

        assertRefused(() -> order.hset(token(1), Map.of("a", "b")), "it holds a list, not a hash");
        assertRefused(() -> order.increment(token(1), 1), "it holds a list, not a number");
        assertRefused(
                () -> keys.write(
                        token(2),
                        writes -> writes.set("{orders:42}:other", "written")
                                .increment("orders:42", 1)),
                "key 'orders:42'");
        assertThat(server.command("EXISTS", "{orders:42}:other")).isEqualTo(0L);
        // The change ran in between, behind its own admission.
        assertThat(order.mark()).contains(token(2));
    }

    @Test
    void theWritesOfAChangeAreMadeInTheirOrderOrNotAtAll() {
        server.command("RPUSH", "{orders:42}:list", "a");
        keys.write(
                token(1),
                writes -> writes.set("orders:42", "5")
                        .increment("orders:42", 2)
                        .delete("{orders:42}:list")
                        .hset("{orders:42}:list", Map.of("now", "a hash"))
                        .set(
                                "{orders:42}:bytes",
                                "ä".getBytes(StandardCharsets.UTF_8),
                                Duration.ofDays(1)));

        assertThat(server.command("GET", "orders:42")).isEqualTo("7");
        assertThat(server.command("HGET", "{orders:42}:list", "now")).isEqualTo("a hash");
        assertThat(server.command("GET", "{orders:42}:bytes")).isEqualTo("ä");

        assertRefused(
                () -> keys.write(
                        token(1),
                        writes -> writes.delete("orders:42")
                                .set("{orders:42}:bytes", "text")
                                .increment("{orders:42}:bytes", 1)),
                "it holds no number");
        assertThat(server.command("GET", "orders:42")).isEqualTo("7");
        assertThat(server.command("GET", "{orders:42}:bytes")).isEqualTo("ä");
    }

    @Test
    void aNewerTokenThatComesWhileAChangeRunsStopsItsWrites() {
        FencedKeys elsewhere = redis.keys("orders:42");

        assertStale(() -> keys.write(token(1), writes -> {
            writes.set("orders:42", "late");
            elsewhere.set(token(2), "orders:42", "newer");
        }));
        assertThat(server.command("GET", "orders:42")).isEqualTo("newer");
    }

    @Test
    void aWriteAfterItsChangeIsAnError() {
        List<KeyWrites> kept = new ArrayList<>();
        keys.write(token(1), kept::add);

        assertThatIllegalStateException()
                .isThrownBy(() -> kept.get(0).set("orders:42", "lost"))
                .withMessageContaining("over");
    }

    @Test
    void keysOfAnotherSlotAndTheMarkItselfAreNotWritten() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.set(token(1), "orders:43", "x"))
                .withMessageContaining("orders:43")
                .withMessageContaining(MARK)
                .withMessageContaining("hash tag");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.run(token(1), "return 1", List.of("orders:43"), List.of()));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.delete(token(1), MARK))
                .withMessageContaining("the mark itself");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> order.set(token(1), "x", Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> order.hset(token(1), Map.of()));
        assertThat(server.command("DBSIZE")).isEqualTo(0L);
    }

    @Test
    void aMarkMayBeNamed() {
        FencedKeys cart = redis.keys(Scope.path("/carts/7"), "{user7}:mark");
        cart.set(token(5), "{user7}:cart", "book");

        assertThat(server.command("GET", "{user7}:mark")).isEqualTo("5");
        assertThatExceptionOfType(StaleTokenException.class)
                .isThrownBy(() -> cart.seal(token(4)))
                .withMessageContaining("path:/carts/7");
    }

    @Test
    void aBodySeesItsOwnKeysAndArgumentsAndReturnsAnything() {
        Reply reply = keys.run(
                token(6),
                "return {#KEYS, #ARGV, KEYS[1], KEYS[2], ARGV[1], false, {1, 'two'}}",
                List.of("orders:42", "{orders:42}:b"),
                List.of("first"));

        assertThat(reply).hasToString("[2, 1, orders:42, {orders:42}:b, first, nil, [1, two]]");
        assertThat(reply.list().get(0).number()).isEqualTo(2);
        assertThat(order.run(token(6), "local x = 1").isNil()).isTrue();
        assertThat(order.run(token(6), "return redis.call('SET', KEYS[1], ARGV[1])", "ä")
                        .text())
                .contains("OK");
        assertThat(order.run(token(6), "return redis.call('GET', KEYS[1]) -- that")
                        .text())
                .contains("ä");
        assertThat(order.run(token(6), "return #KEYS").number()).isEqualTo(1);
        assertThat(order.run(token(7), "return 1").number()).isEqualTo(1);
        assertThat(order.mark()).contains(token(7));
    }

    @Test
    void aBodyThatFailsHalfWayKeepsItsWritesAndShutsOutOlderHolders() {
        order.set(token(1), "1");
        for (String failing : List.of(
                "error('no')",
                "return redis.error_reply('BUSY no')",
                "return redis.call('HSET', KEYS[1], 'a', 'b')",
                "return {err = 'READONLY no'}",
                "error({err = 'no'})",
                "return nil + 1")) {
            long next = order.mark().orElseThrow().value() + 1;
            assertThatExceptionOfType(RedisGuardException.class)
                    .as(failing)
                    .isThrownBy(() -> order.run(
                            token(next),
                            "redis.call('SET', KEYS[1], ARGV[1])\n" + failing,
                            "by " + next))
                    .withMessageContaining("What it wrote before that stays")
                    .satisfies(
                            e -> assertThat(e.code()).isEqualTo(RedisGuardException.BODY_FAILED));
            assertThat(server.command("GET", "orders:42")).isEqualTo("by " + next);
            assertStale(() -> order.set(token(next - 1), "late"));
        }
    }

    @Test
    void aBodyThatDoesNotCompileChangesNothingAndItsErrorNamesItsOwnLine() {
        assertThatExceptionOfType(RedisGuardException.class)
                .isThrownBy(() -> order.run(token(1), "local x = 1\nlocal = 2"))
                .withMessageContaining("user_script:2");
        assertThatExceptionOfType(RedisGuardException.class)
                .isThrownBy(() -> order.run(token(1), "\n\nerror('here')"))
                .withMessageContaining("user_script:3: here");
        assertThat(order.mark()).contains(token(1));
    }

    @Test
    void aDamagedMarkRefusesEveryTokenUntilItIsRepaired() {
        for (String damage : List.of(
                "",
                "x",
                "0",
                "-1",
                "07",
                "1.5",
                "1e3",
                "9007199254740992",
                "10000000000000000",
                "99999999999999999999",
                "7 ")) {
            server.command("SET", MARK, damage);
            assertDamaged("'" + damage + "'");
        }
        server.command("DEL", MARK);
        server.command("RPUSH", MARK, "7");
        assertDamaged("a list");
        assertThat(server.command("EXISTS", "orders:42")).isEqualTo(0L);

        server.command("DEL", MARK);
        server.command("SET", MARK, "8");
        assertStale(() -> order.set(token(7), "late"));
        order.set(token(8), "repaired");
    }

    private void assertDamaged(String found) {
        for (Runnable write : List.<Runnable>of(
                () -> order.set(token(FencingToken.MAX_VALUE), "x"),
                () -> order.run(token(FencingToken.MAX_VALUE), "redis.call('SET', KEYS[1], 'x')"),
                () -> order.seal(token(FencingToken.MAX_VALUE)),
                order::mark)) {
            assertThatExceptionOfType(RedisGuardException.class)
                    .isThrownBy(write::run)
                    .withMessageContaining("key '" + MARK + "' holds " + found)
                    .withMessageContaining("until it is repaired")
                    .satisfies(
                            e -> assertThat(e.code()).isEqualTo(RedisGuardException.DAMAGED_MARK));
        }
    }

    @Test
    void aMarkThatWasGivenATimeToLiveLosesItAtTheNextContact() {
        order.set(token(5), "paid");
        for (Runnable contact : List.<Runnable>of(
                () -> order.set(token(5), "again"),
                () -> assertStale(() -> order.set(token(4), "late")),
                () -> order.run(token(5), "return 1"),
                () -> order.seal(token(6)))) {
            server.command("EXPIRE", MARK, "100");
            contact.run();
            assertThat(server.command("TTL", MARK)).isEqualTo(-1L);
        }
    }

    @Test
    void aServerThatForgotTheScriptsIsToldThemAgain() {
        order.set(token(1), "first");
        server.command("SCRIPT", "FLUSH");
        order.set(token(2), "second");
        server.command("SCRIPT", "FLUSH");
        assertThat(order.mark()).contains(token(2));
        server.command("SCRIPT", "FLUSH");
        assertStale(() -> order.run(token(1), "return redis.call('DEL', KEYS[1])"));
        assertThat(server.command("GET", "orders:42")).isEqualTo("second");
    }

    private static void assertStale(Runnable write) {
        assertThatExceptionOfType(StaleTokenException.class).isThrownBy(write::run);
    }

    private static void assertRefused(Runnable write, String why) {
        assertThatExceptionOfType(RedisGuardException.class)
                .isThrownBy(write::run)
                .withMessageContaining("nothing was written for orders:42")
                .withMessageContaining(why)
                .satisfies(e -> assertThat(e.code()).isEqualTo(RedisGuardException.WRONG_TYPE));
    }

    private static FencingToken token(long value) {
        return new FencingToken(value);
    }
}
