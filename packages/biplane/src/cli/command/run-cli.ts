import { runCommand } from "citty";
import { version } from "../../host/version.ts";
import { checkArgs } from "./check-args.ts";
import { usageError } from "./exit-code.ts";
import { printHelp } from "./help.ts";
import { resolveCommand } from "./resolve-command.ts";

/** Runs the command that the arguments after `biplane` name. */
export async function runCli(given: readonly string[]): Promise<void> {
  const args = withCurrentFlags(given);
  // What follows -- belongs to another program.
  const own = args.slice(0, args.includes("--") ? args.indexOf("--") : undefined);
  if (["--version", "-v"].includes(own[0] ?? "")) return void process.stdout.write(`${version}\n`);
  const help = own.findIndex((arg) => arg === "--help" || arg === "-h");
  if (help !== -1) return printHelp(own.slice(0, help));
  if (args.length === 0) {
    process.exitCode = 2;
    return printHelp([]);
  }
  const found = await resolveCommand(args);
  checkArgs(found);
  const subCommands = Object.keys(found.subCommands);
  if (subCommands.length > 0 && !found.command.run) {
    const name = ["biplane", ...found.path].join(" ");
    const choices = subCommands.map((each) => `${name} ${each}`).join(", ");
    throw usageError(`Missing subcommand. Use one of: ${choices}.`);
  }
  // Its subcommands were looked for already.
  const { subCommands: _, ...command } = found.command;
  await runCommand(command, { rawArgs: [...found.args] });
}

/** Flags under their earlier names, which still work but are not shown in help. */
const renamedFlags: Readonly<Record<string, string>> = {
  "--open-trainer-doors": "--open-trainer-endpoints",
  "--words": "--names",
};

/** Replaces earlier flag names by the current ones. What follows `--` belongs to another program and stays. */
function withCurrentFlags(args: readonly string[]): string[] {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  return args.map((arg, at) => {
    const [flag = "", ...value] = arg.split("=");
    const current = at < end && Object.hasOwn(renamedFlags, flag) ? renamedFlags[flag] : undefined;
    return current === undefined ? arg : [current, ...value].join("=");
  });
}
