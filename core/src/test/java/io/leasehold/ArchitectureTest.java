// SPDX-License-Identifier: Apache-2.0
package io.leasehold;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;

/** Which package may know which, and what a public type may be. */
@AnalyzeClasses(packages = "io.leasehold", importOptions = ImportOption.DoNotIncludeTests.class)
final class ArchitectureTest {

    @ArchTest
    static final ArchRule packagesFormNoCycle =
            slices().matching("io.leasehold.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule nothingBelowKnowsTheUsersApi = noClasses()
            .that()
            .resideInAPackage("io.leasehold.*..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.leasehold");

    @ArchTest
    static final ArchRule modelKnowsNothingElse = knowsOnly("model");

    @ArchTest
    static final ArchRule spiKnowsTheModel = knowsOnly("spi", "model");

    @ArchTest
    static final ArchRule internalKnowsNothingElse = knowsOnly("internal");

    @ArchTest
    static final ArchRule theListenerKnowsTheModel = knowsOnly("listener", "model", "spi");

    @ArchTest
    static final ArchRule guardsKnowTheModelAndTheListener =
            knowsOnly("guard", "listener", "model", "spi");

    @ArchTest
    static final ArchRule guardsInGeneralKnowNoneInParticular = noClasses()
            .that()
            .resideInAPackage("io.leasehold.guard")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.leasehold.guard.*..", "io.leasehold.spi..");

    @ArchTest
    static final ArchRule filesAreReachedThroughTheInjectedDisk = noClasses()
            .that()
            .resideOutsideOfPackage("io.leasehold.spi")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.nio.channels..")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.nio.file.Files")
            .orShould()
            .dependOnClassesThat()
            .haveFullyQualifiedName("java.io.RandomAccessFile");

    @ArchTest
    static final ArchRule tableKnowsModelSpiAndInternal =
            knowsOnly("table", "model", "spi", "internal");

    @ArchTest
    static final ArchRule memoryKnowsModelSpiAndTable =
            knowsOnly("memory", "model", "spi", "table");

    @ArchTest
    static final ArchRule coreNeedsTheJdkOnly = noClasses()
            .should()
            .dependOnClassesThat(
                    resideOutsideOfPackages("java..", "io.leasehold..", "org.jspecify.."));

    @ArchTest
    static final ArchRule nothingPrints =
            GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

    @ArchTest
    static final ArchRule nothingLogsThroughJavaUtilLogging =
            GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

    @ArchTest
    static final ArchRule publicTypesAreClosed = classes()
            .that()
            .arePublic()
            .should(ArchCondition.from(
                    describe("be final, sealed or an interface", ArchitectureTest::isClosed)));

    /** Records and enums are final; the one sealed class is the root of the exceptions. */
    private static boolean isClosed(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.FINAL)
                || type.isInterface()
                || type.isEnum()
                || type.reflect().isSealed();
    }

    private static ArchRule knowsOnly(String name, String... others) {
        String[] allowed = new String[others.length + 1];
        allowed[0] = "io.leasehold." + name + "..";
        for (int i = 0; i < others.length; i++) {
            allowed[i + 1] = "io.leasehold." + others[i] + "..";
        }
        return noClasses()
                .that()
                .resideInAPackage(allowed[0])
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.leasehold..").and(resideOutsideOfPackages(allowed)));
    }
}
