// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.leasehold.model.FencingToken;
import io.leasehold.model.LeaseRecord;
import io.leasehold.model.WorkFailedException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * What single flight and idempotency write into a record: a byte that says which of the two it was,
 * the digest of the payload for idempotency, and the contents: a value by the user's codec, or an
 * error. Immutable.
 */
final class Parcel {

    private static final byte[] NOTHING = {};
    private static final byte PLAIN = 'S';
    private static final byte WITH_DIGEST = 'I';

    /** The most of an error's message that is kept, in characters. */
    private static final int MAX_MESSAGE = 1_000;

    private final Optional<Digest> digest;
    private final byte[] contents;

    private Parcel(Optional<Digest> digest, byte[] contents) {
        this.digest = digest;
        this.contents = contents;
    }

    /** What is published while the work is under way. */
    static LeaseRecord running(Optional<Digest> digest) {
        return new Parcel(digest, NOTHING).seal(LeaseRecord.Kind.RUNNING);
    }

    /**
     * @throws io.leasehold.model.LimitExceededException if the value is too large for a record
     */
    static LeaseRecord ofValue(Optional<Digest> digest, byte[] value) {
        return new Parcel(digest, value).seal(LeaseRecord.Kind.VALUE);
    }

    static LeaseRecord ofError(Optional<Digest> digest, Throwable error) {
        String message = ForeignCode.messageOf(error);
        String kept = message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE);
        byte[] contents = (error.getClass().getName() + "\n" + kept).getBytes(UTF_8);
        return new Parcel(digest, contents).seal(LeaseRecord.Kind.FAILURE);
    }

    private LeaseRecord seal(LeaseRecord.Kind kind) {
        byte[] question = digest.map(Digest::raw).orElse(NOTHING);
        byte[] bytes = ByteBuffer.allocate(1 + question.length + contents.length)
                .put(digest.isPresent() ? WITH_DIGEST : PLAIN)
                .put(question)
                .put(contents)
                .array();
        return LeaseRecord.of(kind, bytes);
    }

    /** Opens a record of single flight found under the given name. */
    static Parcel open(LeaseRecord record, String name) {
        byte[] bytes = record.bytes();
        check(bytes.length >= 1 && bytes[0] == PLAIN, name);
        return new Parcel(Optional.empty(), rest(bytes, 1));
    }

    /** Opens a record of idempotency found under the given name. */
    static Parcel openWithDigest(LeaseRecord record, String name) {
        byte[] bytes = record.bytes();
        check(bytes.length >= 1 + Digest.BYTES && bytes[0] == WITH_DIGEST, name);
        byte[] digest = rest(bytes, 1);
        return new Parcel(
                Optional.of(Digest.ofRaw(Arrays.copyOf(digest, Digest.BYTES))),
                rest(bytes, 1 + Digest.BYTES));
    }

    private static byte[] rest(byte[] bytes, int from) {
        return Arrays.copyOfRange(bytes, from, bytes.length);
    }

    private static void check(boolean ours, String name) {
        if (!ours) {
            throw new IllegalStateException("the record at '" + name + "' was left by something"
                    + " else: use another name for one of the two");
        }
    }

    /** Whether it is about the same payload. */
    boolean answers(Digest payload) {
        return digest.filter(payload::equals).isPresent();
    }

    <T> T value(Codec<T> codec) {
        return codec.decode(contents);
    }

    /** The error that it tells of. */
    WorkFailedException error(String name, FencingToken token) {
        String text = new String(contents, UTF_8);
        int line = Math.max(0, text.indexOf('\n'));
        return WorkFailedException.elsewhere(
                name, token, text.substring(0, line), text.substring(line).stripLeading());
    }
}
