import { runCommand } from "citty";
import { BiplaneError } from "../../errors.ts";
import { version } from "../version.ts";
import { checkWords } from "./check-words.ts";
import { findCommand } from "./find-command.ts";
import { printHelp } from "./help.ts";

/** Runs what was typed after `biplane`. */
export async function runWords(words: readonly string[]): Promise<void> {
  // What stands behind -- is another program's.
  const own = words.slice(0, words.includes("--") ? words.indexOf("--") : undefined);
  if (["--version", "-v"].includes(own[0] ?? "")) return void process.stdout.write(`${version}\n`);
  const help = own.findIndex((word) => word === "--help" || word === "-h");
  if (help !== -1) return printHelp(own.slice(0, help));
  if (words.length === 0) {
    process.exitCode = 1;
    return printHelp([]);
  }
  const found = await findCommand(words);
  checkWords(found);
  const below = Object.keys(found.below);
  if (below.length > 0) {
    const name = ["biplane", ...found.path].join(" ");
    throw new BiplaneError("INVALID_INPUT", `say what to do: ${below.map((each) => `${name} ${each}`).join(", ")}`);
  }
  await runCommand(found.command, { rawArgs: [...found.words] });
}
