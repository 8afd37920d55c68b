import { existsSync } from "node:fs";
import { nearest } from "@biplane/core/internal";
import { gallery } from "@biplane/gallery";
import { isTau2Name } from "../../tau2/environment-names.ts";
import { packs } from "../../pack/packs.ts";
import { usageError } from "../command/exit-code.ts";
import { targetForms } from "./target-arg.ts";

/** A target as given on the command line. `server` is what follows `#`. */
export type WrittenTarget =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "command"; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: "config"; readonly file: string; readonly server: string | undefined }
  | { readonly kind: "module"; readonly file: string; readonly server: string | undefined }
  | { readonly kind: "recording"; readonly file: string }
  | { readonly kind: "environment"; readonly name: string }
  | { readonly kind: "pack"; readonly name: string; readonly folder: string | undefined };

export interface TargetAndArgs {
  readonly target: WrittenTarget;
  /** The arguments after the target, or before it if it is a command after `--`. */
  readonly rest: readonly string[];
}

/** Separates the target from the other arguments. A command to start comes after `--`. */
export function splitTarget(positionals: readonly string[], rawArgs: readonly string[]): TargetAndArgs {
  const dashes = rawArgs.indexOf("--");
  if (dashes === -1) {
    const [first, ...rest] = positionals;
    if (first === undefined) throw usageError(`Pass a target: ${targetForms}.`);
    return { target: readTarget(first), rest };
  }
  const [command, ...args] = rawArgs.slice(dashes + 1);
  if (command === undefined) throw usageError("Pass the command that starts the server after --.");
  return {
    target: { kind: "command", command, args },
    rest: positionals.slice(0, positionals.length - args.length - 1),
  };
}

/** Reads a target that is one argument. */
export function readTarget(text: string): WrittenTarget {
  if (/^(https?|wss?):\/\//i.test(text)) return { kind: "url", url: text };
  const [, file = text, server] = /^(.+\.\w+)#(.*)$/s.exec(text) ?? [];
  if (/\.(jsonc?|ya?ml)$/i.test(file)) return { kind: "config", file, server };
  if (/\.[cm]?[jt]sx?$/.test(file)) return { kind: "module", file, server };
  if (/\.jsonl$/i.test(text)) return { kind: "recording", file: text };
  if (Object.hasOwn(gallery, text) || isTau2Name(text)) return { kind: "environment", name: text };
  const [, pack = text, folder] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (Object.hasOwn(packs, pack)) return { kind: "pack", name: pack, folder };
  throw usageError(`${JSON.stringify(text)} is not a target. ${hintFor(text)}A target is ${targetForms}.`);
}

function hintFor(text: string): string {
  const near = nearest(text, [...Object.keys(gallery), ...Object.keys(packs)]);
  if (near !== undefined) return `Did you mean ${near}? `;
  if (/^(localhost|[\w.-]+\.\w+|\[[\da-f:]+\])(:\d+)?(\/|$)/i.test(text) && !existsSync(text))
    return `Did you mean http://${text}? `;
  if (/\s/.test(text)) return "Put a command after --, not in quotes. ";
  return existsSync(text) ? "Name the file that exports the server, with its extension. " : "";
}
