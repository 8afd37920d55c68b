import { BiplaneError } from "../../errors.ts";
import { nameFault } from "./names.ts";
import type { NameRules } from "./names.ts";

export interface PathRules extends NameRules {
  /** What stands before every path as tools see it: `/workspace`. */
  readonly prefix: string;
}

/** The names a path is made of, below the root. Nothing on disk is touched, and nothing that is returned leads up. */
export function parsePath(given: string, rules: PathRules): readonly string[] {
  if (given.length > longestPath) throw refused(given, `is longer than ${longestPath} characters`);
  const names: string[] = [];
  for (const name of belowPrefix(given, rules.prefix)) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (names.pop() === undefined) throw refused(given, `leads outside ${rules.prefix}: path traversal not allowed`);
      continue;
    }
    const fault = nameFault(name, rules);
    if (fault) throw refused(given, fault);
    names.push(name);
  }
  if (names.length > deepest) throw refused(given, `is more than ${deepest} folders deep`);
  return names;
}

/** A caller's text, safe to repeat in a message. */
export function quote(text: string): string {
  const short = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return JSON.stringify(short).replace(
    /[^\x20-\x7e\p{L}\p{N}…]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

const longestPath = 4096;
const deepest = 64;

function belowPrefix(given: string, prefix: string): string[] {
  const path = given.replace(/\/{2,}/g, "/");
  if (path === "~" || path.startsWith("~/")) throw refused(given, `leads to a home folder: begin with ${prefix}/`);
  const isAbsolute = path.startsWith("/") || /^[A-Za-z]:(\/|\\|$)/.test(path);
  if (!isAbsolute) return path.split("/");
  if (path === prefix || path.startsWith(`${prefix}/`)) return path.slice(prefix.length).split("/");
  throw refused(given, `is an absolute path: path traversal not allowed, paths are relative or begin with ${prefix}/`);
}

function refused(given: string, why: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The path ${quote(given)} ${why}`);
}
