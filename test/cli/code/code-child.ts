// Runs `biplane code` from source with the words it is given.
import { runCommand } from "citty";
import { codeCommand } from "../../../src/cli/code.ts";
import { messageOf } from "../../../src/errors.ts";

try {
  await runCommand(codeCommand, { rawArgs: process.argv.slice(2) });
} catch (error) {
  process.stderr.write(`biplane: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
