// SPDX-License-Identifier: Apache-2.0
package io.leasehold.listener;

/** Hears nothing. */
enum NoListener implements LeaseholdListener {
    NONE
}
