import { createHash } from "node:crypto";
import { BiplaneError } from "../errors.ts";

/** SHA-256 of a canonical form: equal for equal values, independent of key order. */
export function subjectHash(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonical(value, 0)).digest("hex")}`;
}

/** An injective text form. Values without one are rejected, because an approval could not identify them. */
function canonical(value: unknown, depth: number): string {
  if (depth > maxDepth) throw refused("it is nested too deeply");
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "boolean":
      return String(value);
    case "undefined":
      return "undefined";
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "bigint":
      return `${value}n`;
    case "object":
      return value === null ? "null" : canonicalObject(value, depth + 1);
    default:
      throw refused(`it contains a ${typeof value}`);
  }
}

function canonicalObject(value: object, depth: number): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth)).join(",")}]`;
  if (value instanceof Date) return `Date(${value.getTime()})`;
  if (value instanceof URL) return `URL(${JSON.stringify(value.href)})`;
  if (value instanceof Uint8Array) return `bytes(${Buffer.from(value).toString("hex")})`;
  if (value instanceof Map) return `Map${canonical([...value], depth)}`;
  if (value instanceof Set) return `Set${canonical([...value], depth)}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw refused("it contains an object that is not plain data");
  const members = Object.keys(value)
    .sort()
    .filter((key) => (value as Record<string, unknown>)[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key], depth)}`);
  return `{${members.join(",")}}`;
}

const maxDepth = 200;

function refused(why: string): BiplaneError {
  return new BiplaneError("APPROVAL_REJECTED", `This input cannot be submitted for approval: ${why}.`);
}
