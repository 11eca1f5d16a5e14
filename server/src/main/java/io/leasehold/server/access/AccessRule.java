// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What is permitted in which namespaces. Thread-safe.
 *
 * @param namespaces a namespace, or its beginning and a star: {@code team-a}, {@code team-*},
 *     {@code *}
 * @param permissions at least one; {@link Permission#ADMIN} includes all others
 */
public record AccessRule(String namespaces, Set<Permission> permissions) {

    private static final Pattern FORM =
            Pattern.compile("[a-z0-9][a-z0-9._-]{0,62}|[a-z0-9][a-z0-9._-]{0,61}\\*|\\*");

    public AccessRule {
        if (!FORM.matcher(namespaces).matches()) {
            throw new IllegalArgumentException("'" + Names.printable(namespaces)
                    + "' names no namespaces; write one such as team-a, or the beginning of some"
                    + " and a star such as team-*, or * for all");
        }
        if (permissions.isEmpty()) {
            throw new IllegalArgumentException("a rule for '" + namespaces
                    + "' permits nothing; give it acquire, read, force or admin");
        }
        permissions = Set.copyOf(permissions);
    }

    public static AccessRule of(String namespaces, Collection<Permission> permissions) {
        return new AccessRule(
                namespaces, permissions.isEmpty() ? Set.of() : EnumSet.copyOf(permissions));
    }

    /**
     * Reads a rule as {@link #toString} writes it.
     *
     * @throws IllegalArgumentException with words for people if it is none
     */
    public static AccessRule parse(String text) {
        int equals = text.indexOf('=');
        if (equals < 0) {
            throw new IllegalArgumentException("'" + Names.printable(text)
                    + "' is no rule; write it as team-a=acquire,read or *=admin");
        }
        Set<Permission> permissions = EnumSet.noneOf(Permission.class);
        for (String name : text.substring(equals + 1).split(",", -1)) {
            permissions.add(permission(name));
        }
        return new AccessRule(text.substring(0, equals), permissions);
    }

    private static Permission permission(String name) {
        return switch (name) {
            case "acquire" -> Permission.ACQUIRE;
            case "read" -> Permission.READ;
            case "force" -> Permission.FORCE;
            case "admin" -> Permission.ADMIN;
            default ->
                throw new IllegalArgumentException("'" + Names.printable(name)
                        + "' is no permission; there are acquire, read, force and admin");
        };
    }

    boolean covers(String namespace) {
        return namespaces.endsWith("*")
                ? namespace.startsWith(namespaces.substring(0, namespaces.length() - 1))
                : namespace.equals(namespaces);
    }

    boolean coversAll() {
        return namespaces.equals("*");
    }

    boolean permits(Permission permission) {
        return permissions.contains(permission) || permissions.contains(Permission.ADMIN);
    }

    /** The rule in its one spelling, such as {@code team-*=acquire,read}. */
    @Override
    public String toString() {
        return namespaces
                + "="
                + permissions.stream()
                        .sorted()
                        .map(permission -> permission.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(","));
    }
}
