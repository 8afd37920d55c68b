import { BiplaneError } from "../../errors.ts";
import { quote } from "../files/parse-path.ts";

/** A commit, a branch, a tag or a range of them. Nothing that git could take for an option, a file or a search. */
export function checkRevision(given: string): string {
  if (/^[\w](?:[\w./+~^@-]|@\{[\w.-]{1,40}\})*$/.test(given) && given.length <= 250) return given;
  throw new BiplaneError(
    "INVALID_INPUT",
    `${quote(given)} is not a revision: name a commit, a branch, a tag or HEAD~1`,
  );
}

export function checkBranch(given: string): string {
  const isName = /^[A-Za-z0-9_][\w./+-]*$/.test(given) && !/\.\.|\/\/|\/\.|\.lock(\/|$)|[./]$/.test(given);
  if (isName && given.length <= 200 && given !== "HEAD") return given;
  throw new BiplaneError("INVALID_INPUT", `${quote(given)} is not a name for a branch`);
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
