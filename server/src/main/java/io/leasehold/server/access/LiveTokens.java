// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import io.leasehold.model.DamagedFileException;
import io.leasehold.model.LeaseholdException;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Time;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token file as it is now: looked at when somebody asks, at most once a second. While it can't
 * be read or understood nobody is let in. Thread-safe.
 */
final class LiveTokens {

    private static final Logger LOG = LoggerFactory.getLogger(LiveTokens.class);
    private static final long PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    /**
     * What the file said.
     *
     * @param content the file, to see whether it has changed
     * @param byHash those who come with a token, by its hash
     * @param byName those who come with a certificate, by its common name
     * @param problem why nobody is let in
     */
    private record State(
            ByteBuffer content,
            Map<String, TokenEntry> byHash,
            Map<String, TokenEntry> byName,
            @Nullable String problem) {}

    private final TokenFile file;
    private final Time time;
    /** Held by the one who looks at the file; the others go on with what was known. */
    private final ReentrantLock looking = new ReentrantLock();

    private volatile State state;
    /** Guarded by {@link #looking}, read without it. */
    private volatile long lookedAt;

    /**
     * Reads the file.
     *
     * @throws DamagedFileException if it can't be understood
     * @throws StoreUnavailableException if it can't be read
     */
    LiveTokens(TokenFile file, Time time) {
        this.file = file;
        this.time = time;
        lookedAt = time.nanos();
        try {
            state = parse(file.bytes());
        } catch (IOException e) {
            throw new StoreUnavailableException(
                    "cannot read the token file " + file.path() + ": " + reason(e)
                            + ". Make one with 'leasehold token create'",
                    e);
        }
    }

    /**
     * The principal with this token. How long that takes depends on the hash of what was shown,
     * from which nothing follows about any token.
     *
     * @throws StoreUnavailableException if it can't be told at the moment
     */
    Optional<TokenEntry> withHash(byte[] digest) {
        TokenEntry entry = readable().byHash().get(HexFormat.of().formatHex(digest));
        if (entry == null) {
            return Optional.empty();
        }
        byte[] known = HexFormat.of().parseHex(entry.hash().orElseThrow());
        return MessageDigest.isEqual(known, digest) ? Optional.of(entry) : Optional.empty();
    }

    /** The principal with a certificate of this common name; otherwise as {@link #withHash}. */
    Optional<TokenEntry> withCertificate(String commonName) {
        return Optional.ofNullable(readable().byName().get(commonName));
    }

    /** Looks at the file now, because it was changed. */
    void refresh() {
        looking.lock();
        try {
            look();
        } finally {
            looking.unlock();
        }
    }

    private State readable() {
        if (time.nanos() - lookedAt >= PAUSE_NANOS && looking.tryLock()) {
            try {
                if (time.nanos() - lookedAt >= PAUSE_NANOS) {
                    look();
                }
            } finally {
                looking.unlock();
            }
        }
        State now = state;
        if (now.problem() != null) {
            throw new StoreUnavailableException(now.problem());
        }
        return now;
    }

    private void look() {
        State before = state;
        try {
            byte[] bytes = file.bytes();
            if (before.problem() != null || !before.content().equals(ByteBuffer.wrap(bytes))) {
                state = parse(bytes);
                LOG.info("the token file was read again file={}", file.path());
            }
        } catch (IOException | LeaseholdException e) {
            state = new State(
                    ByteBuffer.allocate(0),
                    Map.of(),
                    Map.of(),
                    "nobody is let in: the server's token file can't be read");
            if (before.problem() == null) {
                LOG.error(
                        "nobody is let in: the token file can't be read file={} problem={}",
                        file.path(),
                        reason(e));
            }
        }
        lookedAt = time.nanos();
    }

    private State parse(byte[] bytes) {
        Map<String, TokenEntry> byHash = new HashMap<>();
        Map<String, TokenEntry> byName = new HashMap<>();
        for (TokenEntry entry : TokenLines.read(file.path(), bytes)) {
            entry.hash()
                    .ifPresentOrElse(
                            hash -> byHash.put(hash, entry), () -> byName.put(entry.name(), entry));
        }
        return new State(ByteBuffer.wrap(bytes), Map.copyOf(byHash), Map.copyOf(byName), null);
    }

    private static String reason(Exception e) {
        return e instanceof NoSuchFileException ? "there is none" : String.valueOf(e.getMessage());
    }
}
