// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;
import io.leasehold.model.LeaseholdException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code leasehold doctor}. */
@Command(
        name = "doctor",
        description = {
            "Looks at what the other commands would work on, and says what is wrong.",
            "",
            "Is the server reached, and how fast does it answer? Which version, which engine, and"
                    + " what does that guarantee? Have clocks been set? Which settings are in"
                    + " force, and where do they come from?",
            ""
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExamples:%n",
        footer = {
            "  leasehold doctor",
            "  leasehold doctor --server https://locks.example:5327 --ca ca.pem"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:nothing is wrong; there may be warnings",
            "1:something is wrong",
            "2:wrong usage",
            "69:the server or store can't be reached, or does not answer",
            "77:not permitted"
        })
final class DoctorCommand implements Callable<Integer> {

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Connection connection;

    @Mixin
    @SuppressWarnings("NullAway.Init") // set by picocli
    private Output output;

    @Override
    public Integer call() {
        Examination examination = new Examination();
        examination.tokenFile(connection.tokenFile());
        int code = 0;
        try (Backend backend = connection.open()) {
            examination.look(backend);
        } catch (LeaseholdException | io.leasehold.cli.http.ProblemException e) {
            examination.add(Finding.bad("reach", String.valueOf(e.getMessage())));
            code = ExitCodes.of(e);
        }
        List<Finding> findings = examination.findings();
        print(findings);
        boolean bad = findings.stream().anyMatch(finding -> finding.grade() == Finding.Grade.BAD);
        return code != 0 || !bad ? code : ExitCodes.FAILED;
    }

    private void print(List<Finding> findings) {
        List<Setting> settings = connection.settings();
        if (output.isJson()) {
            output.json(Json.object(
                    "findings", findings.stream().map(Finding::json).toList(),
                    "settings", settings.stream().map(DoctorCommand::json).toList()));
            return;
        }
        for (Finding finding : findings) {
            output.out().println(finding.line(output));
        }
        output.out().println();
        Table table = new Table("SETTING", "VALUE", "FROM");
        for (Setting setting : settings) {
            table.add(setting.name(), setting.isSet() ? setting.value() : "-", setting.source());
        }
        table.print(output.out());
        output.out().flush();
    }

    private static Object json(Setting setting) {
        return Json.object(
                "name", setting.name(), "value", setting.value(), "source", setting.source());
    }
}
