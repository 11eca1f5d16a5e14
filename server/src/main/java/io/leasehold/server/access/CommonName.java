// SPDX-License-Identifier: Apache-2.0
package io.leasehold.server.access;

import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** The name in a client's certificate. Only a certificate that the handshake has verified counts. */
final class CommonName {

    private CommonName() {}

    /** Empty without a certificate, or if its subject has not exactly one common name. */
    static Optional<String> of(@Nullable SSLSession session) {
        if (session == null) {
            return Optional.empty();
        }
        try {
            Certificate[] chain = session.getPeerCertificates();
            return chain.length > 0 && chain[0] instanceof X509Certificate leaf
                    ? in(leaf.getSubjectX500Principal().getName())
                    : Optional.empty();
        } catch (SSLPeerUnverifiedException e) {
            return Optional.empty();
        }
    }

    static Optional<String> in(String distinguishedName) {
        try {
            List<Rdn> names = new LdapName(distinguishedName)
                    .getRdns().stream()
                            .filter(rdn -> rdn.toAttributes().get("CN") != null)
                            .toList();
            // with several it would be anyone's guess which one the signer vouched for
            return names.size() == 1
                            && names.get(0).size() == 1
                            && names.get(0).getValue() instanceof String name
                    ? Optional.of(name)
                    : Optional.empty();
        } catch (InvalidNameException e) {
            return Optional.empty();
        }
    }
}
