import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { version } from "../../host/version.ts";

/** How to start a program. */
export interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * How others start the Biplane that runs now. Paths are absolute, because desktop programs have another PATH than a
 * shell. What npx keeps in its cache can be deleted, so that npx is asked again.
 */
export function thisProgram(): StartCommand {
  const single = (globalThis as { [programKey]?: StartCommand })[programKey];
  if (single) return single;
  const main = fileURLToPath(import.meta.url);
  if (main.split(sep).includes("_npx")) return { command: "npx", args: ["-y", `biplane@${version}`] };
  const program = main.endsWith(".ts") ? "../../../bin/biplane.mjs" : "../bin/biplane.mjs";
  return { command: process.execPath, args: [fileURLToPath(new URL(program, import.meta.url))] };
}

/** How a program in one file starts, which it says itself: the files that it unpacks are not for others. */
const programKey = Symbol.for("biplane.program");
