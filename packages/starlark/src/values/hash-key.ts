import { createHash } from "node:crypto";
import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { Bytes } from "./bytes.ts";
import { Builtin, StarlarkFunction } from "./callable.ts";
import { Float } from "./float.ts";
import { HostObject } from "./host-object.ts";
import { intFromNumber } from "./int.ts";
import { Range } from "./range.ts";
import { BytesView, StringView } from "./string-view.ts";
import { Tuple } from "./tuple.ts";
import { typeName, type Value } from "./value.ts";

/** A key whose equality in a JavaScript Map matches equality in Starlark. */
export type HashKey = null | boolean | number | bigint | string | object;

/** The Map key of a value: two values have the same key exactly when they are equal. Throws if unhashable. */
export function hashKey(thread: Thread, value: Value): HashKey {
  if (typeof value === "string") return value.length > maxKeyLength ? digest(thread, value) : value;
  if (typeof value !== "object" || value === null) return value;
  // An int and a float that are equal share a key; NaN is equal to itself in Starlark, as it is in a Map.
  if (value instanceof Float) return Number.isInteger(value.value) ? intFromNumber(value.value) : value.value;
  if (value instanceof Tuple) {
    const parts: string[] = [compoundMark];
    writeTuple(thread, value, parts);
    const key = parts.join("");
    return key.length > maxKeyLength ? digest(thread, key) : key;
  }
  if (value instanceof Bytes) {
    const key = `${compoundMark}b${value.data}`;
    return key.length > maxKeyLength ? digest(thread, key) : key;
  }
  if (value instanceof StarlarkFunction || value instanceof Builtin) return value;
  if (value instanceof HostObject && !value.behaviour.namespace) return value;
  throw unhashable(value);
}

/** No character of a Starlark string is above 255, so a key with this mark is never the key of a string. */
const compoundMark = "\u0100";

/** JavaScript engines hash only the length of very long strings, so that many of one length would all collide. */
const maxKeyLength = 8192;

function digest(thread: Thread, key: string): string {
  thread.charge(key.length >> 3);
  return `${compoundMark}h${createHash("sha256").update(key, "utf8").digest("base64")}`;
}

/** Encodes the elements unambiguously. Iterative, because tuples may nest deeply. */
function writeTuple(thread: Thread, tuple: Tuple, parts: string[]): void {
  const pending: { elements: readonly Value[]; next: number }[] = [{ elements: tuple.elements, next: 0 }];
  for (;;) {
    const top = pending.at(-1);
    if (!top) return;
    const element = top.elements[top.next++];
    if (element === undefined) {
      parts.push(")");
      pending.pop();
    } else if (element instanceof Tuple) {
      parts.push("(");
      thread.charge(1);
      thread.allocate(partBytes);
      pending.push({ elements: element.elements, next: 0 });
    } else {
      const part = writeScalar(thread, element);
      thread.charge(1);
      thread.allocate(partBytes + part.length);
      parts.push(part);
    }
  }
}

const partBytes = 8;

function writeScalar(thread: Thread, value: Value): string {
  if (value === null) return "N";
  if (typeof value === "boolean") return value ? "T" : "F";
  if (typeof value === "string") return `s${value.length}:${value}`;
  if (value instanceof Bytes) return `b${value.data.length}:${value.data}`;
  const key = hashKey(thread, value);
  if (typeof key === "object" && key !== null) return `o${identity(key)};`;
  return `n${String(key)};`;
}

const identities = new WeakMap<object, number>();
let lastIdentity = 0;

function identity(value: object): number {
  let number = identities.get(value);
  if (number === undefined) identities.set(value, (number = ++lastIdentity));
  return number;
}

function unhashable(value: Value): Failure {
  const isView = value instanceof StringView || value instanceof BytesView;
  const hasNoHash = isView || value instanceof Range || value instanceof HostObject;
  return new Failure(hasNoHash ? `unhashable: ${typeName(value)}` : `unhashable type: ${typeName(value)}`);
}
