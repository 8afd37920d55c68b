import { argument, command } from "./define.ts";
import { styler } from "../terminal/style.ts";
import { resolveCommand } from "./resolve-command.ts";
import { usageOf } from "./usage.ts";

/** `biplane help approvals list`: the same as `biplane approvals list --help`. */
export const helpCommand = command("Show the usage of a command, with examples", {
  args: {
    command: argument("The command (default: list all)", { valueHint: "command …", required: false }),
  },
  run: ({ args }) => printHelp(args._),
});

/** Writes the usage of a command to standard output. */
export async function printHelp(args: readonly string[]): Promise<void> {
  const columns = Math.min(100, process.stdout.columns ?? 80);
  process.stdout.write(await usageOf(await resolveCommand(args), { columns, style: styler(process.stdout) }));
}
