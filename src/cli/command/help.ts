import { defineCommand } from "citty";
import { styler } from "../terminal/style.ts";
import { findCommand } from "./find-command.ts";
import { usageOf } from "./usage.ts";

/** `biplane help approvals list`: the same as `--help` behind the command. */
export const helpCommand = defineCommand({
  meta: { name: "help", description: "Say how a command is used, with examples" },
  args: { command: { type: "positional", description: "The command; left out, all of them", required: false } },
  run: ({ args }) => printHelp(args._),
});

/** Writes how a command is used to standard output. */
export async function printHelp(words: readonly string[]): Promise<void> {
  const columns = Math.min(100, process.stdout.columns ?? 80);
  process.stdout.write(await usageOf(await findCommand(words), { columns, style: styler(process.stdout) }));
}
