import { StarlarkError } from "../../starlark/index.ts";

/**
 * A Starlark value as plain data: what JSON has no word for becomes what comes nearest. Parts that are shared in
 * Starlark are there as often as they are used, so that a few lines could become more than any memory holds: what is
 * too much is refused.
 */
export function plainValue(value: unknown): unknown {
  let left = mostBytes;
  const spend = (bytes: number): void => {
    left -= bytes;
    if (left < 0) throw new StarlarkError("limit", `A value takes more than ${mostBytes} bytes as plain data`);
  };
  const plain = (part: unknown): unknown => {
    spend(bytesOfPart);
    if (typeof part === "string") spend(part.length);
    if (typeof part === "bigint") return part.toString();
    if (typeof part === "function") return `<function ${part.name}>`;
    if (typeof part !== "object" || part === null) return part;
    if (Array.isArray(part) || part instanceof Set) return Array.from(part as Iterable<unknown>, plain);
    if (part instanceof Uint8Array) {
      spend(part.length);
      return Buffer.from(part).toString("latin1");
    }
    const entries = part instanceof Map ? part : Object.entries(part);
    return Object.fromEntries(Array.from(entries, ([key, each]) => [keyOf(plain(key)), plain(each)]));
  };
  return plain(value);
}

/** The host's thread does this, and must not be held up for long. */
const mostBytes = 16 * 1024 * 1024;
const bytesOfPart = 16;

function keyOf(key: unknown): string {
  return typeof key === "string" ? key : JSON.stringify(key);
}
