// SPDX-License-Identifier: Apache-2.0
package io.leasehold.cli;

import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Gives {@code leasehold serve} an option for each setting. */
final class ServeOptions implements IModelTransformer {

    @Override
    public CommandSpec transform(CommandSpec command) {
        for (ServeSetting setting : ServeSetting.values()) {
            OptionSpec.Builder option = OptionSpec.builder(setting.option())
                    .description(setting.description(), variable(setting));
            command.addOption(
                    setting.isFlag()
                            ? option.type(boolean.class).arity("0").build()
                            : option.type(String.class)
                                    .paramLabel(setting.label())
                                    .build());
        }
        return command;
    }

    private static String variable(ServeSetting setting) {
        String usual = setting.whenMissing().isEmpty() || setting.isFlag()
                ? ""
                : "; default: " + setting.whenMissing();
        return "(" + setting.variable() + usual + ")";
    }
}
