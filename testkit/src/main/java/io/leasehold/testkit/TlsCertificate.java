// SPDX-License-Identifier: Apache-2.0
package io.leasehold.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;

/**
 * A certificate of 127.0.0.1 and localhost that is signed by itself, with its key, as files in PEM. Made by the JDK's
 * {@code keytool}; valid for a day; deleted when closed. Thread-safe.
 */
public final class TlsCertificate implements AutoCloseable {

    private static final String ALIAS = "test";
    // protects nothing: the file is gone before the key is used
    private static final String PASSWORD = "changeit";

    private final Path directory;

    private TlsCertificate(Path directory) {
        this.directory = directory;
    }

    /** Makes a new one. */
    public static TlsCertificate create() {
        Path directory = Directories.create("leasehold-tls-");
        try {
            Path store = directory.resolve("store.p12");
            keytool(store);
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD.toCharArray());
            }
            TlsCertificate made = new TlsCertificate(directory);
            write(made.certificate(), "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
            byte[] key = keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
            write(made.key(), "PRIVATE KEY", key);
            Files.delete(store);
            return made;
        } catch (IOException e) {
            Directories.delete(directory);
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException | RuntimeException e) {
            Directories.delete(directory);
            throw new IllegalStateException("cannot make a certificate", e);
        }
    }

    /** The file with the certificate: what a server shows, and what a client trusts. */
    public Path certificate() {
        return directory.resolve("certificate.pem");
    }

    /** The file with the private key. */
    public Path key() {
        return directory.resolve("key.pem");
    }

    /** Deletes the files. */
    @Override
    public void close() {
        Directories.delete(directory);
    }

    private static void keytool(Path store) throws IOException {
        Path log = store.resolveSibling("keytool.log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "SAN=dns:localhost,ip:127.0.0.1",
                        "-validity",
                        "1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IllegalStateException("keytool failed: " + Files.readString(log));
            }
            Files.delete(log);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while keytool ran", e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void write(Path file, String kind, byte[] bytes) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        Files.writeString(
                file,
                "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n",
                StandardCharsets.US_ASCII);
    }
}
