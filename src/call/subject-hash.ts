import { createHash } from "node:crypto";
import { BiplaneError } from "../errors.ts";

/** The SHA-256 of a value: equal for equal values, whatever the order of their keys, and for no others. */
export function subjectHash(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonical(value, 0)).digest("hex")}`;
}

/** Text that only this value has. What has no such text cannot be approved, so it is refused. */
function canonical(value: unknown, depth: number): string {
  if (depth > mostDepth) throw refused("it nests too deep");
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
      throw refused(`it holds a ${typeof value}`);
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
  if (prototype !== Object.prototype && prototype !== null) throw refused("it holds something that is not plain data");
  const members = Object.keys(value)
    .sort()
    .filter((key) => (value as Record<string, unknown>)[key] !== undefined)
    .map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key], depth)}`);
  return `{${members.join(",")}}`;
}

const mostDepth = 200;

function refused(why: string): BiplaneError {
  return new BiplaneError("APPROVAL_REJECTED", `The input cannot be put to a person: ${why}`);
}
