// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.StoreUnavailableException;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ObjectOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Scripts on a connection of Lettuce, past its codec: keys and arguments are bytes already. */
final class LettuceRunner implements ScriptRunner {

    private final StatefulConnection<byte[], byte[]> connection;

    /** A connection only passes commands on; each command brings its own codec. */
    @SuppressWarnings("unchecked")
    LettuceRunner(StatefulConnection<?, ?> connection) {
        this.connection = (StatefulConnection<byte[], byte[]>) connection;
    }

    @Override
    public Object run(Script script, List<byte[]> keys, List<byte[]> arguments) {
        if (connection instanceof StatefulRedisConnection<?, ?> single && single.isMulti()) {
            throw new IllegalStateException("the connection is in MULTI: a guarded write is a"
                    + " transaction of its own and needs an answer");
        }
        try {
            try {
                return send(CommandType.EVALSHA, script.sha1(), keys, arguments);
            } catch (RedisNoScriptException e) {
                return send(CommandType.EVAL, script.source(), keys, arguments);
            }
        } catch (RedisCommandExecutionException e) {
            throw RedisGuardException.refused(String.valueOf(e.getMessage()), e);
        } catch (RedisException | CancellationException e) {
            throw noAnswer(e);
        }
    }

    private Object send(
            CommandType type, String script, List<byte[]> keys, List<byte[]> arguments) {
        CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE)
                .add(script)
                .add(keys.size())
                .addKeys(keys)
                .addValues(arguments);
        AsyncCommand<byte[], byte[], Object> command = new AsyncCommand<>(
                new Command<>(type, new ObjectOutput<>(ByteArrayCodec.INSTANCE), args));
        connection.dispatch(command);
        return LettuceFutures.awaitOrCancel(
                command, connection.getTimeout().toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Tells "not sent" from "sent, and then silence". Lettuce says the first only in words: these
     * are all that {@code DefaultEndpoint.validateWrite} has.
     */
    private static RuntimeException noAnswer(RuntimeException e) {
        if (saysNotSent(e.getMessage())) {
            return new StoreUnavailableException("nothing was sent to Redis: " + e.getMessage(), e);
        }
        return new OutcomeUnknownException(
                "Redis gave no answer: mark and data are both as before or both changed; read them"
                        + " to find out (" + e.getMessage() + ")",
                e);
    }

    private static boolean saysNotSent(@Nullable String message) {
        return message != null
                && (message.startsWith("Currently not connected")
                        || message.equals("Connection is closed")
                        || message.startsWith("Request queue size exceeded")
                        || message.startsWith("Command buffer size exceeded"));
    }
}
