// SPDX-License-Identifier: Apache-2.0
package io.leasehold.journal;

import java.nio.file.Path;

/**
 * A file of a journal that was read.
 *
 * @param file where
 * @param number in the order of the files
 * @param length of the file
 * @param used up to where there is anything
 * @param batches how many
 * @param entries how many, in all batches
 */
public record FileSummary(
        Path file, long number, long length, long used, int batches, long entries) {}
