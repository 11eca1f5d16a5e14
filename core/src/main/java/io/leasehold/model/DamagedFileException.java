// SPDX-License-Identifier: Apache-2.0
package io.leasehold.model;

import java.nio.file.Path;

/**
 * A file is not what was last written to it: damaged, cut, replaced by something foreign, or put
 * back to an earlier state. Nothing was changed, and nothing will be until a person has repaired
 * it: what it should say can't be guessed.
 */
public final class DamagedFileException extends LeaseholdException {

    private static final long serialVersionUID = 1;

    private final transient Path file;
    private final long offset;
    private final String problem;

    /** The problem is in words and says what was found at the offset. */
    public DamagedFileException(Path file, long offset, String problem) {
        this(
                file,
                offset,
                problem,
                "Put a good copy in its place, and seal it with a newly granted token before"
                        + " anything else writes");
    }

    /** The same with what to do about it, as a sentence without its full stop. */
    public DamagedFileException(Path file, long offset, String problem, String remedy) {
        super(file + " is refused at offset " + offset + ": " + problem + ". " + remedy, null);
        this.file = file;
        this.offset = offset;
        this.problem = problem;
    }

    public Path file() {
        return file;
    }

    /** Where in the file the problem begins. */
    public long offset() {
        return offset;
    }

    /** What is wrong, in words. */
    public String problem() {
        return problem;
    }
}
