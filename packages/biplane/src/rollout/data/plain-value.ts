import { isRecord } from "@biplane/core/internal";

/**
 * The value without types that JSON lacks, except integers beyond 2^53, which stay bigints. Bytes become base64.
 */
export function plainValue(value: unknown): unknown {
  if (typeof value === "bigint") return smallestNumber(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (ArrayBuffer.isView(value)) return Array.from(value as unknown as Iterable<unknown>, plainValue);
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainValue(inner)]));
}

export function smallestNumber(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
