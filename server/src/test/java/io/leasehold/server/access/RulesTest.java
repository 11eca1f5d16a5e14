// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.leasehold.protocol.v1.LeaseholdProto;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class RulesTest {

    private static final String LEASES = "leasehold.v1.Leases/";

    /** The check that a new method can't be forgotten. */
    @Test
    void everyMethodOfEveryServiceHasARuleAndNothingElseHas() {
        Set<String> methods = new TreeSet<>();
        for (ServiceDescriptor service : LeaseholdProto.getDescriptor().getServices()) {
            for (MethodDescriptor method : service.getMethods()) {
                methods.add(service.getFullName() + "/" + method.getName());
            }
        }
        assertThat(new TreeSet<>(Rules.methods())).isEqualTo(methods);
    }

    @Test
    void aMethodWithoutARuleIsNobodysToCall() {
        assertThat(Rules.judge(Anyone.INSTANCE, LEASES + "Invented", "default"))
                .isEqualTo(Rules.Verdict.DENIED);
        assertThatThrownBy(() -> Rules.of(LEASES + "Invented"))
                .hasMessageContaining("no rule says who may call leasehold.v1.Leases/Invented");
    }

    @Test
    void nothingIsPermittedUnlessItWasSaidToBe() {
        TokenEntry entry = entry("team-a=acquire");
        assertThat(entry.may(Permission.ACQUIRE, "team-a")).isTrue();
        for (Permission other : List.of(Permission.READ, Permission.FORCE, Permission.ADMIN)) {
            assertThat(entry.may(other, "team-a")).isFalse();
        }
        for (String namespace : List.of("team-b", "team", "team-a2", "default", "")) {
            assertThat(entry.may(Permission.ACQUIRE, namespace)).as(namespace).isFalse();
        }
        assertThat(entry.mayEverywhere(Permission.ACQUIRE)).isFalse();
    }

    @Test
    void aStarStandsForWhateverFollows() {
        TokenEntry entry = entry("team-*=read", "*=acquire");
        assertThat(entry.may(Permission.READ, "team-a")).isTrue();
        assertThat(entry.may(Permission.READ, "team-")).isTrue();
        assertThat(entry.may(Permission.READ, "team")).isFalse();
        assertThat(entry.may(Permission.ACQUIRE, "anything")).isTrue();
        assertThat(entry.mayEverywhere(Permission.ACQUIRE)).isTrue();
        assertThat(entry.mayEverywhere(Permission.READ)).isFalse();
    }

    @Test
    void whoAdministersANamespaceMayDoAllOfItThereAndNoTokensAnywhere() {
        TokenEntry entry = entry("team-a=admin");
        for (Permission permission : Permission.values()) {
            assertThat(entry.may(permission, "team-a")).isTrue();
            assertThat(entry.may(permission, "team-b")).isFalse();
            assertThat(entry.mayEverywhere(permission)).isFalse();
        }
    }

    @Test
    void rulesAreWrittenAsTheyAreRead() {
        for (String rule : List.of(
                "team-a=acquire,read", "team-*=force", "*=admin", "a=acquire,read,force,admin")) {
            assertThat(AccessRule.parse(rule)).hasToString(rule);
        }
    }

    private static TokenEntry entry(String... rules) {
        return new TokenEntry(
                "someone",
                Optional.empty(),
                Arrays.stream(rules).map(AccessRule::parse).toList());
    }
}
