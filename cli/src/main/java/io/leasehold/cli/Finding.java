// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import io.leasehold.cli.json.Json;

import java.util.Locale;
import java.util.Map;

/**
 * One thing that the doctor looked at.
 *
 * @param what in a word or two
 * @param grade how it is
 * @param detail for people; where something is wrong, also what to do
 */
record Finding(String what, Grade grade, String detail) {

    enum Grade {
        OK(Output.Style.GOOD),
        WARNING(Output.Style.BOLD),
        BAD(Output.Style.BAD);

        private final Output.Style style;

        Grade(Output.Style style) {
            this.style = style;
        }
    }

    static Finding ok(String what, String detail) {
        return new Finding(what, Grade.OK, detail);
    }

    static Finding warning(String what, String detail) {
        return new Finding(what, Grade.WARNING, detail);
    }

    static Finding bad(String what, String detail) {
        return new Finding(what, Grade.BAD, detail);
    }

    String line(Output output) {
        String mark = String.format(Locale.ROOT, "%-7s", JournalJson.lower(grade));
        return output.styled(grade.style, mark)
                + String.format(Locale.ROOT, "  %-10s  %s", what, detail);
    }

    Map<String, Object> json() {
        return Json.object("what", what, "grade", JournalJson.lower(grade), "detail", detail);
    }
}
