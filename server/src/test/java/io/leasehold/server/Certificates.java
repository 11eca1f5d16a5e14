// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An authority of its own and what it signs, as PEM files in a directory, made by keytool. */
final class Certificates {

    private static final String PASSWORD = "changeit";

    private final Path directory;
    private final String authority;

    /** Makes an authority by this name. */
    Certificates(Path directory, String authority) {
        this.directory = directory;
        this.authority = authority;
        make(authority, "CN=" + authority, "-ext", "bc:c");
    }

    /** The authority's certificate. */
    Path authority() {
        return certificate(authority);
    }

    /** Signs a certificate for this subject, under the name of the files. */
    Certificates sign(String name, String subject) {
        make(name, subject, "-signer", authority, "-ext", "SAN=dns:localhost,ip:127.0.0.1");
        return this;
    }

    Path certificate(String name) {
        return directory.resolve(name + ".pem");
    }

    Path key(String name) {
        return directory.resolve(name + "-key.pem");
    }

    private Path store() {
        return directory.resolve(authority + ".p12");
    }

    private void export(String name) {
        try (InputStream in = Files.newInputStream(store())) {
            KeyStore keys = KeyStore.getInstance("PKCS12");
            keys.load(in, PASSWORD.toCharArray());
            write(certificate(name), "CERTIFICATE", keys.getCertificate(name).getEncoded());
            Key key = keys.getKey(name, PASSWORD.toCharArray());
            write(key(name), "PRIVATE KEY", key.getEncoded());
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("cannot export " + name, e);
        }
    }

    private static void write(Path file, String kind, byte[] bytes) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        Files.writeString(
                file, "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n");
    }

    private void make(String name, String subject, String... more) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-alias",
                name,
                "-dname",
                subject,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store().toString()));
        command.addAll(List.of(more));
        run(command);
        export(name);
    }

    private void run(List<String> command) {
        Path log = directory.resolve("keytool.log");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException(command + ": " + Files.readString(log));
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot run keytool", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }
}
