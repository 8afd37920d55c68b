import { BiplaneError } from "@biplane/core";
import { nameFault } from "./names.ts";
import type { NameRules } from "./names.ts";

export interface PathRules extends NameRules {
  /** The virtual root of all paths, such as `/workspace`. */
  readonly prefix: string;
}

/** Splits a path into names below the root. Does not access the disk. The result contains no `..`. */
export function parsePath(given: string, rules: PathRules): readonly string[] {
  if (given.length > maxPathLength) throw invalidPath(given, `is longer than ${maxPathLength} characters`);
  const names: string[] = [];
  for (const name of belowPrefix(given, rules.prefix)) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (names.pop() === undefined)
        throw invalidPath(given, `leads outside ${rules.prefix}: path traversal not allowed`);
      continue;
    }
    const fault = nameFault(name, rules);
    if (fault) throw invalidPath(given, fault);
    names.push(name);
  }
  if (names.length > deepest) throw invalidPath(given, `is more than ${deepest} folders deep`);
  return names;
}

/** Quotes a caller's text for a message: shortened, with special characters escaped. */
export function quote(text: string): string {
  const short = text.length > 120 ? `${text.slice(0, 120)}…` : text;
  return JSON.stringify(short).replace(
    /[^\x20-\x7e\p{L}\p{N}…]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

const maxPathLength = 4096;
const deepest = 64;

function belowPrefix(given: string, prefix: string): string[] {
  const path = given.replace(/\/{2,}/g, "/");
  if (path === "~" || path.startsWith("~/"))
    throw invalidPath(given, `leads to a home folder. Start the path with ${prefix}/`);
  const isAbsolute = path.startsWith("/") || /^[A-Za-z]:(\/|\\|$)/.test(path);
  if (!isAbsolute) return path.split("/");
  if (path === prefix || path.startsWith(`${prefix}/`)) return path.slice(prefix.length).split("/");
  throw invalidPath(
    given,
    `is an absolute path: path traversal not allowed. Use a relative path or one that starts with ${prefix}/`,
  );
}

function invalidPath(given: string, why: string): BiplaneError {
  return new BiplaneError("INVALID_INPUT", `The path ${quote(given)} ${why}.`);
}
