// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.model.LeaseholdException;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisReadOnlyException;
import java.io.IOException;
import java.net.UnknownHostException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each error means, in the words of Redis 6 and of Redis 7. */
final class FailuresTest {

    private static final String SHA = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567";
    private static final String BEFORE_7 =
            "ERR Error running script (call to f_" + SHA + "): @user_script:57: ";
    private static final String SINCE_7 = " script: " + SHA + ", on @user_script:57.";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading the dataset in memory",
                "READONLY You can't write against a read only replica.",
                "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
                "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN.",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "MISCONF Redis is configured to save RDB snapshots, but it's unable to persist.",
                "NOREPLICAS Not enough good replicas to write.",
                "CLUSTERDOWN Hash slot not served",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "MOVED 3999 127.0.0.1:6381",
                "ASK 3999 127.0.0.1:6381",
                "CROSSSLOT Keys in request don't hash to the same slot",
                "NOAUTH Authentication required.",
                "WRONGPASS invalid username-password pair or user is disabled.",
                "NOPERM this user has no permissions to run the 'evalsha' command",
                "NOPERM User alice has no permissions to run the 'evalsha' command",
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "ERR max number of clients reached"
            })
    void aRefusalOfTheCallMeansThatNothingHappened(String message) {
        LeaseholdException failure = Failures.of(new RedisCommandExecutionException(message));
        assertThat(failure).isInstanceOf(StoreUnavailableException.class);
        String code = message.startsWith("ERR") ? "MAXCLIENTS" : message.split(" ", 2)[0];
        assertThat(failure).hasMessageStartingWith(code + ": ");
        assertThat(String.valueOf(failure.getMessage())).hasSizeGreaterThan(code.length() + 20);
        assertThat(failure).hasCauseInstanceOf(RedisCommandExecutionException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "READONLY You can't write against a read only replica.",
                "OOM command not allowed when used memory > 'maxmemory'.",
                "MISCONF Redis is configured to save RDB snapshots, but it's unable to persist.",
                "NOREPLICAS Not enough good replicas to write."
            })
    void aRefusalOfTheFirstWriteMeansThatNothingHappened(String message) {
        String code = message.split(" ", 2)[0];
        for (String within :
                new String[] {message, "@user_script: 57: -" + message, message + SINCE_7}) {
            assertThat(Failures.ofScript(within))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageStartingWith(code + ": ");
        }
        for (String call : new String[] {
            BEFORE_7 + message, BEFORE_7 + "@user_script: 57: -" + message, message + SINCE_7
        }) {
            assertThat(Failures.of(new RedisCommandExecutionException(call)))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageStartingWith(code + ": ");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "WRONGTYPE Operation against a key holding the wrong kind of value",
                "@user_script: 57: The user executing the script can't run this command or"
                        + " subcommand",
                "ERR The user executing the script can't access at least one of the keys mentioned"
                        + " in the command arguments",
                "NOPERM ACL failure in script: User alice has no permissions to run 'zadd'"
            })
    void whatOneKeyRefusesMayHaveHappenedAtAnother(String message) {
        String code = message.startsWith("WRONGTYPE") ? "WRONGTYPE" : "NOPERM";
        assertThat(Failures.ofScript(message))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageStartingWith(code + ": ");
    }

    @Test
    void aWrongTypeOfTheFirstKeyIsFoundBeforeAnythingIsWritten() {
        String message = BEFORE_7 + "WRONGTYPE Operation against a key";
        assertThat(Failures.of(new RedisCommandExecutionException(message)))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageStartingWith("WRONGTYPE: ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERR user_script:57: attempt to index local 'lease' (a nil value)",
                "user_script:57: attempt to call field 'MOVED' (a nil value)",
                "ERR unknown command `EVALSHA`, with args beginning with: ",
                "ERR BUSY is no code of this one",
                "ERR value is not OOM or READONLY",
                "UNKNOWNCODE something of a later version",
                ""
            })
    void whateverElseTheServerSaysIsUnknown(String message) {
        for (LeaseholdException failure : new LeaseholdException[] {
            Failures.ofScript(message), Failures.of(new RedisCommandExecutionException(message))
        }) {
            assertThat(failure).isInstanceOf(OutcomeUnknownException.class);
            assertThat(failure).hasMessageContaining(message);
        }
    }

    @Test
    void theLibrarysOwnKindsOfErrorsAreReadAlike() {
        assertUnavailable(new RedisBusyException("BUSY Redis is busy"), "BUSY: ");
        assertUnavailable(new RedisLoadingException("LOADING Redis is loading"), "LOADING: ");
        assertUnavailable(new RedisReadOnlyException("READONLY You can't write"), "READONLY: ");
    }

    @Test
    void whatWasNotSentDidNotHappen() {
        assertUnavailable(
                new RedisException("Currently not connected. Commands are rejected."),
                "there is no connection");
        assertUnavailable(new RedisException("Connection is closed"), "there is no connection");
        assertUnavailable(
                new RedisException("Request queue size exceeded: 10000. Commands are not accepted"),
                "there is no connection");
    }

    @Test
    void whatWasUnderWayIsUnknown() {
        for (Throwable error : new Throwable[] {
            new RedisCommandTimeoutException("Command timed out after 5 second(s)"),
            new RedisException("Connection closed"),
            new RedisException("Connection disconnected"),
            new IOException("Connection reset by peer"),
            new IllegalStateException("executor not accepting a task")
        }) {
            assertThat(Failures.of(error))
                    .isInstanceOf(OutcomeUnknownException.class)
                    .hasCause(error);
        }
    }

    @Test
    void thatThereIsNoConnectionSaysWhy() {
        assertUnavailable(
                new RedisConnectionException(
                        "Unable to connect", new UnknownHostException("nowhere.invalid")),
                "the host of Redis is unknown: nowhere.invalid");
        assertUnavailable(
                new RedisConnectionException(
                        "Unable to connect", new IOException("Connection refused: 127.0.0.1:1")),
                "Redis can't be reached: Unable to connect: Connection refused: 127.0.0.1:1");
        assertUnavailable(
                new RedisConnectionException(
                        "Unable to connect",
                        new RedisCommandExecutionException("WRONGPASS invalid pair")),
                "WRONGPASS: Redis does not accept");
        assertUnavailable(
                new RedisConnectionException(
                        "Unable to connect", new RedisCommandExecutionException("ERR what?")),
                "Redis answered with an error: ERR what?");
    }

    @Test
    void whatIsWrappedIsFoundAndWhatIsKnownIsKept() {
        StoreUnavailableException known = new StoreUnavailableException("known");
        assertThat(Failures.of(new CompletionException(new ExecutionException(known))))
                .isSameAs(known);
        assertUnavailable(
                new CompletionException(new RedisCommandExecutionException("OOM no")), "OOM: ");
    }

    @Test
    void onlyAReadOnlyServerIsLeftForAnother() {
        assertThat(Failures.isReadOnly(Failures.ofScript("READONLY You can't"))).isTrue();
        assertThat(Failures.isReadOnly(Failures.ofScript("@user_script: 5: -READONLY You")))
                .isTrue();
        assertThat(Failures.isReadOnly(Failures.ofScript("OOM command"))).isFalse();
        assertThat(Failures.isReadOnly(Failures.ofScript("ERR value is READONLY")))
                .isFalse();
    }

    private static void assertUnavailable(Throwable error, String words) {
        assertThat(Failures.of(error))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageStartingWith(words);
    }
}
