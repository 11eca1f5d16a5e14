// SPDX-License-Identifier: Apache-2.0
package io.leasehold.redis.guard;

import io.leasehold.guard.Admission;
import io.leasehold.guard.Guard;
import io.leasehold.model.Claim;
import io.leasehold.model.FencingToken;
import io.leasehold.model.OutcomeUnknownException;
import io.leasehold.model.Scope;
import io.leasehold.model.ScopeMismatchException;
import io.leasehold.model.StaleTokenException;
import io.leasehold.model.StoreUnavailableException;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The keys of one resource, with one mark for all of them. Each write is one script: it checks the
 * mark, checks the keys, raises the mark and writes, and nothing comes in between. The keys must be
 * in the slot of the mark, also where there is no cluster yet. Thread-safe.
 *
 * <p>Each write throws {@link StaleTokenException} if the resource has seen a newer token, {@link
 * RedisGuardException} if the server refused it for good, {@link StoreUnavailableException} if it
 * did not run and may be tried again, and {@link OutcomeUnknownException} if no answer came: then
 * mark and data are both as before or both changed. After any of the others no data has changed,
 * except by a body of the owner's that failed half-way.
 *
 * <p>A resource has one mark, also if its scope has parts: holders of different parts of it shut
 * each other out. Parts that are leased separately are guarded as resources of their own.
 */
public final class FencedKeys implements Guard<KeyWrites> {

    private final Scope resource;
    private final Fence fence;
    private final ReentrantLock lock = new ReentrantLock(); // one change at a time, see change

    FencedKeys(ScriptRunner scripts, Scope resource, MarkKey mark) {
        this.resource = resource;
        this.fence = new Fence(scripts, mark, Claim.exclusive(resource).label());
    }

    @Override
    public Scope resource() {
        return resource;
    }

    /** The key that the mark is at. Whatever deletes it lets stale writers in. */
    public String markKey() {
        return fence.mark().name();
    }

    /** SET: the value replaces whatever is there, and has no time to live. */
    public void set(FencingToken token, String key, String value) {
        write(token, writes().set(key, value));
    }

    /** {@link #set(FencingToken, String, String)} of bytes. */
    public void set(FencingToken token, String key, byte[] value) {
        write(token, writes().set(key, value));
    }

    /** SET with PX: the value is gone after the time to live. The mark stays. */
    public void set(FencingToken token, String key, String value, Duration ttl) {
        write(token, writes().set(key, value, ttl));
    }

    /** HSET: sets fields of a hash, leaves its others alone, and says how many are new. */
    public long hset(FencingToken token, String key, Map<String, String> fields) {
        return write(token, writes().hset(key, fields));
    }

    /** DEL: whether there was something. The mark stays. */
    public boolean delete(FencingToken token, String key) {
        return write(token, writes().delete(key)) > 0;
    }

    /**
     * INCRBY: adds to a counter and returns the sum; both are from -(2<sup>53</sup>-1) to
     * 2<sup>53</sup>-1.
     */
    public long increment(FencingToken token, String key, long by) {
        return write(token, writes().increment(key, by));
    }

    /**
     * Runs the owner's own Lua behind the check, in the same script. The body finds its keys and
     * arguments in {@code KEYS} and {@code ARGV}, both counted from 1, and may return a value.
     *
     * <p>The mark is raised before the body runs. A body that fails half-way keeps what it wrote
     * before, as in any script of Redis, and older holders are shut out from then on: check first,
     * then write. The text of the body is a constant of the program. Values belong into the
     * arguments, because the server keeps each text that it was ever given.
     *
     * @throws RedisGuardException if the body can't be compiled, and then nothing has changed, or
     *     with code {@link RedisGuardException#BODY_FAILED} if it failed
     */
    public Reply run(FencingToken token, String body, List<String> keys, List<String> arguments) {
        keys.forEach(fence.mark()::check);
        List<byte[]> encoded = arguments.stream().map(KeyWrites::bytes).toList();
        return fence.run(Script.behindTheCheck(body), token, keys, encoded);
    }

    /**
     * Admits the writer, lets the change say what it wants to write, and writes all of it in one
     * script. Meant for several writes at once, and for whoever takes any {@link Guard}.
     *
     * <p>The change runs here, not in the server. It runs after its token was admitted, so it may
     * read what it needs, and this guard runs one at a time. Should a newer token reach the
     * resource from elsewhere while it runs, then nothing of what it wanted is written, and the
     * exception is thrown although it ran. A change that throws leaves the mark raised.
     *
     * @throws StaleTokenException if the resource has seen a newer token; nothing was written
     * @throws ScopeMismatchException if the target is no part of the resource; the change did not
     *     run
     */
    @Override
    public <T> T change(Admission admission, Function<? super KeyWrites, ? extends T> change) {
        check(admission.target());
        lock.lock();
        try {
            fence.write(admission.token(), writes());
            KeyWrites writes = writes();
            T result = change.apply(writes);
            writes.end();
            if (!writes.isEmpty()) {
                fence.write(admission.token(), writes);
            }
            return result;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void admit(Admission admission) {
        check(admission.target());
        fence.write(admission.token(), writes());
    }

    /** The highest token that the resource has seen: it has one mark for all of its parts. */
    @Override
    public Optional<FencingToken> mark(Scope part) {
        check(part);
        return fence.read();
    }

    private void check(Scope part) {
        if (!resource.covers(part)) {
            throw ScopeMismatchException.notGuarded(resource, part);
        }
    }

    private KeyWrites writes() {
        return new KeyWrites(fence.mark());
    }

    private long write(FencingToken token, KeyWrites one) {
        return fence.write(token, one).get(0);
    }
}
