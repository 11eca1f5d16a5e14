// SPDX-License-Identifier: Apache-2.0
/** Every snippet of the README and the docs, compiled and run by the build. */
@NullMarked
package io.leasehold.examples;

import org.jspecify.annotations.NullMarked;
