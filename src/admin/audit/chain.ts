import { hash } from "node:crypto";

/** The log that `openAudit` writes to. */
export const auditLog = "audit";

/** What the first line follows. */
export const genesis = "0".repeat(64);

/**
 * Closes lines that are open at the end: each says the hash of the line before, then its own, which is the SHA-256 of
 * its text without the member `hash`.
 */
export function link(open: readonly string[], last: string | undefined): readonly string[] {
  let previous = last === undefined ? genesis : sha256(unsealed(last));
  return open.map((line) => {
    const text = `${line},"previous":"${previous}"`;
    previous = sha256(`${text}}`);
    return `${text},"hash":"${previous}"}`;
  });
}

/** The line's hash if it is whole and follows the line with the hash `previous`, or what is wrong with it. */
export function check(line: string, previous: string): { hash: string } | { why: string } {
  const hash = sha256(unsealed(line));
  if (!line.endsWith(`,"hash":"${hash}"}`)) return { why: "it was changed: its text does not have its hash" };
  if (line.endsWith(`,"previous":"${previous}","hash":"${hash}"}`)) return { hash };
  return { why: "it does not follow the line before: one of them was changed, or lines were removed, added or moved" };
}

/** The text that a line's hash is of. Of a line that never had one, that is some other text, and never fits. */
function unsealed(line: string): string {
  return `${line.slice(0, -sealLength)}}`;
}

const sealLength = `,"hash":"${genesis}"}`.length;

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
