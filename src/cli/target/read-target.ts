import { nearest } from "../../call/rules/near-miss.ts";
import { BiplaneError } from "../../errors.ts";
import { gallery } from "../../gallery/gallery.ts";

/** What a command is to talk to, as it was written. */
export type WrittenTarget =
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "command"; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: "config"; readonly file: string; readonly server: string | undefined }
  | { readonly kind: "module"; readonly file: string }
  | { readonly kind: "gallery"; readonly name: string };

export interface Words {
  readonly target: WrittenTarget;
  /** What stands after the target, or, where that is a command line, before it. */
  readonly rest: readonly string[];
}

/** Tells the target from the other words. A command line is what comes after `--`. */
export function readWords(positionals: readonly string[], rawArgs: readonly string[]): Words {
  const dashes = rawArgs.indexOf("--");
  if (dashes === -1) {
    const [first, ...rest] = positionals;
    if (first === undefined) throw new BiplaneError("INVALID_DEFINITION", `say which server: ${ways}`);
    return { target: readTarget(first), rest };
  }
  const [command, ...args] = rawArgs.slice(dashes + 1);
  if (command === undefined) throw new BiplaneError("INVALID_DEFINITION", "after -- comes the command of a server");
  return {
    target: { kind: "command", command, args },
    rest: positionals.slice(0, positionals.length - args.length - 1),
  };
}

export function readTarget(text: string): WrittenTarget {
  if (/^(https?|wss?):\/\//i.test(text)) return { kind: "url", url: text };
  const [, file, server] = /^(.+\.jsonc?)(?:#(.*))?$/i.exec(text) ?? [];
  if (file !== undefined) return { kind: "config", file, server };
  if (/\.[cm]?[jt]sx?$/.test(text)) return { kind: "module", file: text };
  if (Object.hasOwn(gallery, text)) return { kind: "gallery", name: text };
  const near = nearest(text, Object.keys(gallery));
  const hint = near === undefined ? `a server is ${ways}` : `did you mean ${near}?`;
  throw new BiplaneError("INVALID_DEFINITION", `${JSON.stringify(text)} is no server that can be found; ${hint}`);
}

const ways = "a URL, config.json#name, a .ts file, a name of the gallery, or a command after --";
