import { hash } from "node:crypto";

/** The `previous` hash of the first line. */
export const genesis = "0".repeat(64);

/**
 * Completes lines that end without `}`: appends the hash of the previous line, then its own hash. A line's hash is the
 * SHA-256 of its text without `hash`.
 */
export function linkLines(unfinished: readonly string[], last: string | undefined): readonly string[] {
  let previous = last === undefined ? genesis : sha256(unsealed(last));
  return unfinished.map((line) => {
    const text = `${line},"previous":"${previous}"`;
    previous = sha256(`${text}}`);
    return `${text},"hash":"${previous}"}`;
  });
}

/** Returns the line's hash if it is intact and follows `previous`, or why not. */
export function checkLine(line: string, previous: string): { hash: string } | { why: string } {
  const hash = sha256(unsealed(line));
  if (!line.endsWith(`,"hash":"${hash}"}`)) return { why: "the line was changed: its hash does not match its text" };
  if (line.endsWith(`,"previous":"${previous}","hash":"${hash}"}`)) return { hash };
  return { why: "the line does not follow the previous one: a line was changed, removed, added or moved" };
}

/** The text that the line's hash covers. For a line without a hash the result never matches. */
function unsealed(line: string): string {
  return `${line.slice(0, -sealLength)}}`;
}

const sealLength = `,"hash":"${genesis}"}`.length;

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
