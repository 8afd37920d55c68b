import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { Bytes } from "./bytes.ts";
import { Dict } from "./dict.ts";
import { Float } from "./float.ts";
import { List } from "./list.ts";
import { Range } from "./range.ts";
import { StarlarkSet } from "./set.ts";
import { BytesView, StringView } from "./string-view.ts";
import { Tuple } from "./tuple.ts";
import { typeName, type Value } from "./value.ts";

export type Ordering = "<" | "<=" | ">" | ">=";

export function isEqual(thread: Thread, left: Value, right: Value, depth = 0): boolean {
  if (typeof left === "string" && typeof right === "string") {
    if (left.length !== right.length) return false;
    if (left.length > 64) thread.charge(left.length >> 6);
    return left === right;
  }
  if (left === right && !isContainer(left)) return true;
  if (typeof left !== "object" || left === null) {
    return right instanceof Float && isNumber(left) ? compareNumbers(left, right) === 0 : false;
  }
  if (left instanceof Float) return isNumber(right) && compareNumbers(left, right) === 0;
  if (typeof right !== "object" || right === null) return false;
  thread.charge(1);
  if (depth > deepestComparison) throw new Failure("comparison exceeded maximum recursion depth");
  if (left instanceof List) return right instanceof List && sameElements(thread, left.elements, right.elements, depth);
  if (left instanceof Tuple) {
    return right instanceof Tuple && sameElements(thread, left.elements, right.elements, depth);
  }
  if (left instanceof Dict) return right instanceof Dict && sameEntries(thread, left, right, depth);
  if (left instanceof StarlarkSet) {
    return right instanceof StarlarkSet && left.table.size === right.table.size && isSubset(left, right);
  }
  if (left instanceof Bytes) return right instanceof Bytes && left.data === right.data;
  if (left instanceof Range) return right instanceof Range && sameRange(left, right);
  if (left instanceof StringView) {
    return right instanceof StringView && left.kind === right.kind && left.text === right.text;
  }
  if (left instanceof BytesView) return right instanceof BytesView && left.bytes.data === right.bytes.data;
  return left === right;
}

/** Evaluates `left operator right`. Throws for values without an order. */
export function isOrdered(thread: Thread, operator: Ordering, left: Value, right: Value): boolean {
  if (left instanceof StarlarkSet && right instanceof StarlarkSet) return compareSets(operator, left, right);
  return satisfies(operator, compare(thread, operator, left, right, 0));
}

/** Numbers in one order: NaN is equal to itself and above everything else. */
function compareNumbers(left: number | bigint | Float, right: number | bigint | Float): number {
  const x = left instanceof Float ? left.value : left;
  const y = right instanceof Float ? right.value : right;
  if (x === y) return 0;
  // Relational operators compare a bigint with a number exactly, infinities included.
  if (x < y) return -1;
  if (x > y) return 1;
  const leftIsNan = Number.isNaN(x);
  const rightIsNan = Number.isNaN(y);
  if (leftIsNan === rightIsNan) return 0;
  return leftIsNan ? 1 : -1;
}

/** Deep enough for real data, shallow enough to end quickly on cycles. */
const deepestComparison = 200;

function compare(thread: Thread, operator: Ordering, left: Value, right: Value, depth: number): number {
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  if (typeof left === "string" && typeof right === "string") return compareText(thread, left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  thread.charge(1);
  if (depth > deepestComparison) throw new Failure("comparison exceeded maximum recursion depth");
  const areSequences =
    (left instanceof List && right instanceof List) || (left instanceof Tuple && right instanceof Tuple);
  if (areSequences) return compareElements(thread, operator, left.elements, right.elements, depth);
  if (left instanceof Bytes && right instanceof Bytes) return compareText(thread, left.data, right.data);
  throw new Failure(`${typeName(left)} ${operator} ${typeName(right)} not implemented`);
}

function compareText(thread: Thread, left: string, right: string): number {
  thread.charge(Math.min(left.length, right.length) >> 5);
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareElements(
  thread: Thread,
  operator: Ordering,
  left: readonly Value[],
  right: readonly Value[],
  depth: number,
): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const x = left[index] ?? null;
    const y = right[index] ?? null;
    if (!isEqual(thread, x, y, depth + 1)) {
      if (x instanceof StarlarkSet && y instanceof StarlarkSet) return compareSets(operator, x, y) ? -1 : 1;
      return compare(thread, operator, x, y, depth + 1);
    }
  }
  return left.length - right.length;
}

function satisfies(operator: Ordering, order: number): boolean {
  switch (operator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
}

function compareSets(operator: Ordering, left: StarlarkSet, right: StarlarkSet): boolean {
  const [small, large] = operator.startsWith("<") ? [left, right] : [right, left];
  if (!operator.endsWith("=") && small.table.size >= large.table.size) return false;
  return isSubset(small, large);
}

function isSubset(small: StarlarkSet, large: StarlarkSet): boolean {
  if (small.table.size > large.table.size) return false;
  for (const key of small.table.entries.keys()) if (!large.table.entries.has(key)) return false;
  return true;
}

function sameElements(thread: Thread, left: readonly Value[], right: readonly Value[], depth: number): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (!isEqual(thread, left[index] ?? null, right[index] ?? null, depth + 1)) return false;
  }
  thread.charge(left.length);
  return true;
}

function sameEntries(thread: Thread, left: Dict, right: Dict, depth: number): boolean {
  if (left.table.size !== right.table.size) return false;
  for (const [key, entry] of left.table.entries) {
    const other = right.table.entries.get(key);
    if (!other || !isEqual(thread, entry.value, other.value, depth + 1)) return false;
  }
  thread.charge(left.table.size);
  return true;
}

function sameRange(left: Range, right: Range): boolean {
  if (left.length !== right.length) return false;
  if (left.length === 0) return true;
  return left.start === right.start && (left.length === 1 || left.step === right.step);
}

function isNumber(value: Value): value is number | bigint | Float {
  return typeof value === "number" || typeof value === "bigint" || value instanceof Float;
}

function isContainer(value: Value): boolean {
  return value instanceof List || value instanceof Tuple || value instanceof Dict;
}
