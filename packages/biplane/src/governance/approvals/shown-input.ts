import { BiplaneError } from "@biplane/core";

/**
 * An input as plain data for a person; JSON alone shows a set, a map or bytes as empty. An input that is too long to
 * read is rejected, so that nobody approves what they have not seen.
 */
export function shownInput(input: unknown): unknown {
  const shown = plain(input);
  if ((JSON.stringify(shown)?.length ?? 0) <= maxShownInput) return shown;
  throw new BiplaneError(
    "APPROVAL_REJECTED",
    `The input is too long for a person to review. Keep it under ${maxShownInput} characters.`,
  );
}

export const maxShownInput = 100_000;

/** Covers every type that has a subject hash; others never get here. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))) return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value) || value instanceof Set) return Array.from(value, plain);
  if (value instanceof Map) return Array.from(value, plain);
  if (value instanceof URL) return value.href;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "no date" : value.toISOString();
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString("hex")}`;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
