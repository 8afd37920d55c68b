import { BiplaneError } from "../../errors.ts";

/**
 * What a person is shown of an input, as plain data: JSON alone would show a set, a map or bytes as nothing. More than
 * anybody could read is refused, so that a yes is never for what was not seen, and nobody fills the store with it.
 */
export function shownInput(input: unknown): unknown {
  const shown = plain(input);
  if ((JSON.stringify(shown)?.length ?? 0) <= longest) return shown;
  throw new BiplaneError(
    "APPROVAL_REJECTED",
    `The input is too long to be put to a person: it may have ${longest} characters`,
  );
}

const longest = 100_000;

/** Nothing else has a subject hash, so nothing else gets here. */
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
