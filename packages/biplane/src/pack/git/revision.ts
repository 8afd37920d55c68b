import { BiplaneError } from "@biplane/core";
import { quote } from "../shared/files/parse-path.ts";

/** Accepts a commit, branch, tag or range. Rejects anything git could read as an option, path or search. */
export function checkRevision(given: string): string {
  if (given.length <= 250 && /^[\w](?:[\w./+~^@-]|@\{[\w.-]{1,40}\})*$/.test(given)) return given;
  throw new BiplaneError(
    "INVALID_INPUT",
    `${quote(given)} is not a revision. Use a commit, branch, tag or an expression such as HEAD~1.`,
  );
}

export function checkBranch(given: string): string {
  const isShort = given.length <= 200 && given !== "HEAD";
  const isName = isShort && /^[A-Za-z0-9_][\w./+-]*$/.test(given);
  if (isName && !/\.\.|\/\/|\/\.|\.lock(\/|$)|[./]$/.test(given)) return given;
  throw new BiplaneError("INVALID_INPUT", `${quote(given)} is not a valid branch name.`);
}

export const revisionField = {
  type: "string",
  minLength: 1,
  description: "A commit, branch, tag, HEAD~1, or a range such as main..topic",
} as const;

export const pathsField = {
  type: "array",
  items: { type: "string", minLength: 1 },
  maxItems: 1000,
  description: "Only these files and folders",
} as const;
