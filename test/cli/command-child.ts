// Runs one command as the program does: the file under src/cli, the name of its export, and the words for it.
import { runCommand } from "citty";
import type { CommandDef } from "citty";
import { messageOf } from "../../src/errors.ts";

const [file = "", name = "", ...words] = process.argv.slice(2);
const module = (await import(`../../src/cli/${file}`)) as Record<string, CommandDef>;
try {
  await runCommand(module[name] as CommandDef, { rawArgs: words });
} catch (error) {
  process.stderr.write(`biplane: ${messageOf(error)}\n`);
  process.exitCode = 1;
}
