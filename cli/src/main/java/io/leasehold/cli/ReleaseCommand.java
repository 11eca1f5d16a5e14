// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.spi.Ending;
import io.leasehold.spi.Grant;
import io.leasehold.spi.Refused;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code leasehold release}. */
@Command(
        name = "release",
        description = {"Gives the lease of a script back, and removes its file.", ""},
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {"  leasehold release --lease-file import.lease"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:released",
            "1:it failed",
            "2:wrong usage",
            "69:the server or store can't be reached, or does not answer; the file stays",
            "76:the lease was lost before; what was done under it may have been unprotected",
            "77:not permitted"
        })
final class ReleaseCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private LeaseSource source;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Connection connection;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Override
    public Integer call() throws IOException {
        LeaseFile.Kept lease = source.read();
        Grant grant = lease.grant();
        Ending ending;
        try (Backend backend = connection.open()) {
            ending = Answers.await(backend.store().release(grant));
            Optional<String> elsewhere = SameStore.mismatch(lease, backend.store());
            if (elsewhere.isPresent()) {
                return output.fail(ExitCodes.LOST, elsewhere.get() + "; the file stays");
            }
        }
        Optional<LeaseFile> file = source.file();
        if (file.isPresent()) {
            file.get().delete();
        }
        if (ending instanceof Refused refused) {
            return output.fail(
                    ExitCodes.LOST,
                    "the lease on " + grant.holding().claim() + " was lost before: "
                            + Refusals.words(refused.reason()));
        }
        if (output.isJson()) {
            Map<String, Object> json = LeaseText.json(grant.holding());
            json.put("released", true);
            output.json(json);
        } else {
            output.line("released");
        }
        return 0;
    }
}
