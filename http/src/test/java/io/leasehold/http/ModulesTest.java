// SPDX-License-Identifier: Apache-2.0
package io.leasehold.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.leasehold.model.FencingToken;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** As modules, beside nothing but core: the client's side needs no servlet API. */
final class ModulesTest {

    private static final String MODULE = "io.leasehold.http";

    @Test
    void theClientsSideWorksWithoutTheServletApi() throws Exception {
        ModuleLayer.Controller layer = layer(FencingHeaders.class, FencingToken.class);
        Class<?> headers = load(layer, "io.leasehold.http.FencingHeaders");
        Class<?> token = load(layer, "io.leasehold.model.FencingToken");

        Object request = headers.getMethod("set", HttpRequest.Builder.class, token)
                .invoke(
                        null,
                        HttpRequest.newBuilder(URI.create("http://localhost/")),
                        token.getConstructor(long.class).newInstance(7L));

        assertThat(((HttpRequest.Builder) request).build().headers().map())
                .containsEntry("Fencing-Token", List.of("7"));
        assertThat(headers.getModule().getName()).isEqualTo(MODULE);
        assertThatExceptionOfType(NoClassDefFoundError.class)
                .isThrownBy(() -> load(layer, "io.leasehold.http.FencingFilter"))
                .withMessageContaining("jakarta/servlet/Filter");
    }

    private static Class<?> load(ModuleLayer.Controller layer, String name)
            throws ClassNotFoundException {
        return Class.forName(name, true, layer.layer().findLoader(MODULE));
    }

    /** A layer of the modules that these classes come from, on top of the JDK alone. */
    private static ModuleLayer.Controller layer(Class<?>... classes) {
        Path[] places = List.of(classes).stream().map(ModulesTest::place).toArray(Path[]::new);
        Configuration found = ModuleLayer.boot()
                .configuration()
                .resolve(ModuleFinder.of(places), ModuleFinder.of(), Set.of(MODULE));
        return ModuleLayer.defineModulesWithOneLoader(
                found, List.of(ModuleLayer.boot()), ClassLoader.getPlatformClassLoader());
    }

    private static Path place(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
