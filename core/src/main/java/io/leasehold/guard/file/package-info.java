// SPDX-License-Identifier: Apache-2.0
/**
 * Guards of files, whose marks survive the process and the machine as the data does: {@link
 * io.leasehold.guard.file.GuardedFile} replaces a whole file, {@link
 * io.leasehold.guard.file.GuardedRegionFile} writes at an offset.
 */
@NullMarked
package io.leasehold.guard.file;

import org.jspecify.annotations.NullMarked;
