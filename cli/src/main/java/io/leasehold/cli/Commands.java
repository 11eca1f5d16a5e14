// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** The commands by name, in the order of the help. */
final class Commands {

    static final Map<String, Class<?>> ALL = all();

    private Commands() {}

    private static Map<String, Class<?>> all() {
        Map<String, Class<?>> commands = new LinkedHashMap<>();
        commands.put("serve", ServeCommand.class);
        commands.put("run", RunCommand.class);
        commands.put("elect", ElectCommand.class);
        commands.put("acquire", AcquireCommand.class);
        commands.put("renew", RenewCommand.class);
        commands.put("release", ReleaseCommand.class);
        commands.put("list", ListCommand.class);
        commands.put("show", ShowCommand.class);
        commands.put("watch", WatchCommand.class);
        commands.put("force-release", ForceReleaseCommand.class);
        commands.put("token", TokenCommand.class);
        commands.put("doctor", DoctorCommand.class);
        commands.put("bench", BenchCommand.class);
        commands.put("journal", JournalCommand.class);
        commands.put("demo", DemoCommand.class);
        commands.put("completion", CompletionCommand.class);
        return Collections.unmodifiableMap(commands);
    }
}
