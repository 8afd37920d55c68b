import { defineCommand, runCommand } from "citty";
import { configCommand } from "../../src/cli/config.ts";
import { policyCommand } from "../../src/cli/policy.ts";
import { messageOf } from "../../src/errors.ts";

/** The two commands that have to do with the config file, as a program. */
const main = defineCommand({ subCommands: { config: configCommand, policy: policyCommand } });

try {
  await runCommand(main, { rawArgs: process.argv.slice(2) });
} catch (error) {
  process.stderr.write(`biplane: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
