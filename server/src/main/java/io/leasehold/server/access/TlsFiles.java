// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import com.linecorp.armeria.common.TlsKeyPair;
import com.linecorp.armeria.common.TlsProvider;
import io.leasehold.model.StoreUnavailableException;
import io.leasehold.spi.Time;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's certificate and key, and whom it trusts to vouch for clients, from PEM files. Looked
 * at again when somebody connects, at most once in ten seconds; while what is there does not fit
 * together, what did is kept. Thread-safe.
 */
final class TlsFiles implements TlsProvider {

    private static final Logger LOG = LoggerFactory.getLogger(TlsFiles.class);
    private static final long PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

    /** The files' texts, byte for byte. */
    private record Contents(String certificate, String key, String authority) {}

    private record Loaded(Contents contents, TlsKeyPair pair, List<X509Certificate> trusted) {}

    private final Path certificate;
    private final Path key;
    private final Optional<Path> authority;
    private final Time time;
    /** Held by the one who looks at the files; the others go on with what was known. */
    private final ReentrantLock looking = new ReentrantLock();

    private volatile Loaded loaded;
    private volatile long lookedAt;

    /**
     * Reads the files.
     *
     * @throws StoreUnavailableException if one can't be read, or they don't fit together
     */
    TlsFiles(Path certificate, Path key, Optional<Path> authority, Time time) {
        this.certificate = certificate;
        this.key = key;
        this.authority = authority;
        this.time = time;
        loaded = load(read());
        lookedAt = time.nanos();
    }

    @Override
    public TlsKeyPair keyPair(String hostname) {
        return current().pair();
    }

    @Override
    public List<X509Certificate> trustedCertificates(String hostname) {
        return current().trusted();
    }

    private Loaded current() {
        if (time.nanos() - lookedAt >= PAUSE_NANOS && looking.tryLock()) {
            try {
                lookedAt = time.nanos();
                Contents now = read();
                if (!now.equals(loaded.contents())) {
                    loaded = load(now);
                    LOG.info("the certificate was read again file={}", certificate);
                }
            } catch (StoreUnavailableException e) {
                LOG.warn("the earlier certificate is kept: {}", e.getMessage());
            } finally {
                looking.unlock();
            }
        }
        return loaded;
    }

    private Contents read() {
        return new Contents(
                read("certificate", certificate),
                read("key", key),
                authority.map(path -> read("client CA", path)).orElse(""));
    }

    private static String read(String what, Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            String why = e instanceof NoSuchFileException ? "there is none" : e.getMessage();
            throw new StoreUnavailableException(
                    "cannot read the " + what + " file " + file + ": " + why, e);
        }
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private Loaded load(Contents contents) {
        TlsKeyPair pair;
        try {
            pair = TlsKeyPair.of(stream(contents.key()), stream(contents.certificate()));
        } catch (RuntimeException e) {
            throw new StoreUnavailableException(
                    "cannot use the certificate " + certificate + " with the key " + key
                            + ": both must be PEM, the key PKCS#8 and without a password ("
                            + e.getMessage() + ")",
                    e);
        }
        if (!belongs(pair.privateKey(), pair.certificateChain().get(0))) {
            throw new StoreUnavailableException(
                    "the key " + key + " is not that of the certificate " + certificate);
        }
        return new Loaded(contents, pair, authorities(contents.authority()));
    }

    private List<X509Certificate> authorities(String pem) {
        List<X509Certificate> trusted = new ArrayList<>();
        try {
            for (Certificate one :
                    CertificateFactory.getInstance("X.509").generateCertificates(stream(pem))) {
                trusted.add((X509Certificate) one);
            }
        } catch (GeneralSecurityException e) {
            throw new StoreUnavailableException(
                    "cannot use the client CA " + authority.orElseThrow() + ": " + e.getMessage(),
                    e);
        }
        if (authority.isPresent() && trusted.isEmpty()) {
            throw new StoreUnavailableException(
                    "the client CA " + authority.get() + " has no certificate in it");
        }
        return List.copyOf(trusted);
    }

    /** Whether what the key signs is what the certificate vouches for. */
    private static boolean belongs(PrivateKey key, X509Certificate certificate) {
        String algorithm = switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        };
        byte[] message = {1, 2, 3};
        try {
            Signature signer = Signature.getInstance(algorithm);
            signer.initSign(key);
            signer.update(message);
            byte[] signature = signer.sign();
            Signature verifier = Signature.getInstance(algorithm);
            verifier.initVerify(certificate.getPublicKey());
            verifier.update(message);
            return verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
