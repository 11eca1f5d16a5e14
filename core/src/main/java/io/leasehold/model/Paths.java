// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

/** Path normalisation: one spelling per path. */
final class Paths {

    private Paths() {}

    static String normalise(String path) {
        Text.check("path", path, Scope.MAX_BYTES);
        if (path.charAt(0) != '/') {
            throw new IllegalArgumentException(
                    "path '" + Text.excerpt(path) + "' is not absolute: start it with '/'");
        }
        StringBuilder normal = new StringBuilder(path.length());
        for (String segment : path.split("/", -1)) {
            if (segment.equals("..")) {
                throw new IllegalArgumentException("path '" + Text.excerpt(path)
                        + "' has a '..' segment: resolve it before leasing");
            }
            if (!segment.isEmpty() && !segment.equals(".")) {
                normal.append('/').append(segment);
            }
        }
        return normal.isEmpty() ? "/" : normal.toString();
    }

    /**
     * The key of a normalised path: every segment behind a separator, the root being the bare
     * prefix.
     */
    static String key(String normalised) {
        return normalised.equals("/") ? "p" : "p" + normalised.replace('/', KeyRange.SEPARATOR);
    }
}
