// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.hostile;

import java.util.List;
import java.util.SplittableRandom;

/** Values that break rules, and some that keep them, by seed. For one thread. */
final class Wild {

    private static final List<String> NAMESPACES = List.of(
            "", "default", "a", "team-a", "A", "..", "a/b", "x".repeat(64), "~", "\u0000", "ä");
    private static final List<String> KINDS =
            List.of("name:", "path:/", "subtree:/", "inode:", "range:", "", "NAME:", ":");
    private static final List<String> CHARACTERS = List.of(
            "a", "0", "/", ":", "-", ".", "..", "\u0000", "\n", "\"", "\\", "é", "𝄞", "\ud800",
            "%", " ");

    private final SplittableRandom random;

    Wild(SplittableRandom random) {
        this.random = random;
    }

    boolean chance(int oneIn) {
        return random.nextInt(oneIn) == 0;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    String namespace() {
        return chance(4) ? oneOf(NAMESPACES) : "";
    }

    /** Mostly the id that a client of ours would mint. */
    String leaseId() {
        if (chance(4)) {
            return text(40);
        }
        StringBuilder id = new StringBuilder();
        for (int i = 0; i < 32; i++) {
            id.append(Character.forDigit(random.nextInt(16), 16));
        }
        return id.toString();
    }

    /** Often one of a few names, so that requests meet. */
    String scope() {
        if (chance(2)) {
            return "name:" + random.nextInt(8);
        }
        return switch (random.nextInt(4)) {
            case 0 -> "range:7:" + number() + "-" + number();
            case 1 -> "inode:" + number();
            case 2 -> "subtree:/a/" + random.nextInt(3);
            default -> oneOf(KINDS) + text(chance(50) ? 5_000 : 12);
        };
    }

    String text(int most) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(most + 1);
        while (text.length() < length) {
            text.append(oneOf(CHARACTERS));
        }
        return text.toString();
    }

    long number() {
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> random.nextLong();
            case 2 -> Long.MAX_VALUE;
            case 3 -> Long.MIN_VALUE;
            case 4 -> -random.nextInt(1000);
            default -> random.nextInt(1000);
        };
    }

    byte[] bytes(int most) {
        byte[] bytes = new byte[random.nextInt(most + 1)];
        random.nextBytes(bytes);
        return bytes;
    }
}
