import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { Bytes } from "./bytes.ts";
import { fitsIndex, isInt } from "./int.ts";
import { elementBytes } from "./memory.ts";
import { List } from "./list.ts";
import { Range } from "./range.ts";
import { Tuple } from "./tuple.ts";
import { typeName, type Value } from "./value.ts";

export interface SliceBounds {
  readonly from: Value;
  readonly to: Value;
  readonly step: Value;
}

/** `object[from:to:step]`; None stands for a missing part. */
export function getSlice(thread: Thread, object: Value, bounds: SliceBounds): Value {
  if (typeof object === "string") return sliceText(thread, object, bounds);
  if (object instanceof Bytes) return new Bytes(sliceText(thread, object.data, bounds));
  if (object instanceof List) return new List(sliceElements(thread, object.elements, bounds));
  if (object instanceof Tuple) return new Tuple(sliceElements(thread, object.elements, bounds));
  if (object instanceof Range) return sliceRange(object, bounds);
  throw new Failure(`invalid slice operand ${typeName(object)}`);
}

/**
 * Turns optional, possibly negative bounds into positions inside a sequence, as methods like `find` do. An end before
 * the start is moved to the start.
 */
export function clampBounds(from: Value, to: Value, length: number): { start: number; end: number } {
  const start = clamp(wholeOr(from, 0, "start index"), length);
  const end = clamp(wholeOr(to, length, "end index"), length);
  return { start, end: Math.max(start, end) };
}

function sliceText(thread: Thread, text: string, bounds: SliceBounds): string {
  const { start, end, step } = resolve(bounds, text.length);
  if (step === 1) {
    if (end - start > 64) thread.charge((end - start) >> 6);
    return text.slice(start, Math.max(start, end));
  }
  const characters: string[] = [];
  const count = countOf(start, end, step);
  thread.allocate(count);
  thread.charge(count);
  for (let index = 0; index < count; index++) characters.push(text.charAt(start + index * step));
  return characters.join("");
}

function sliceElements(thread: Thread, elements: readonly Value[], bounds: SliceBounds): Value[] {
  const { start, end, step } = resolve(bounds, elements.length);
  const count = countOf(start, end, step);
  thread.allocate(count * elementBytes);
  thread.charge(count);
  if (step === 1) return elements.slice(start, start + count);
  const result: Value[] = [];
  for (let index = 0; index < count; index++) result.push(elements[start + index * step] ?? null);
  return result;
}

function sliceRange(range: Range, bounds: SliceBounds): Range {
  const { start, end, step } = resolve(bounds, range.length);
  return new Range(range.at(start), range.at(end), range.step * step);
}

function countOf(start: number, end: number, step: number): number {
  return Math.max(0, Math.ceil((end - start) / step));
}

function resolve(bounds: SliceBounds, length: number): { start: number; end: number; step: number } {
  const step = wholeOr(bounds.step, 1, "slice step", "invalid slice step");
  if (step === 0) throw new Failure("zero is not a valid slice step");
  if (step > 0) {
    const start = clamp(wholeOr(bounds.from, 0, "start index"), length);
    const end = clamp(wholeOr(bounds.to, length, "end index"), length);
    return { start, end: Math.max(start, end), step };
  }
  const start = clampBackwards(wholeOr(bounds.from, length - 1, "start index"), length);
  const end = bounds.to === null ? -1 : clampBackwards(wholeOr(bounds.to, 0, "end index"), length);
  return { start, end: Math.min(start, end), step };
}

function wholeOr(value: Value, missing: number, what: string, prefix = `invalid ${what}`): number {
  if (value === null) return missing;
  if (!isInt(value)) throw new Failure(`${prefix}: got ${typeName(value)}, want int`);
  if (!fitsIndex(value)) throw new Failure(`${prefix}: ${value} out of range`);
  return value;
}

function clamp(index: number, length: number): number {
  return Math.min(Math.max(index < 0 ? index + length : index, 0), length);
}

/** With a negative step, the position before the first element is a valid end. */
function clampBackwards(index: number, length: number): number {
  return Math.min(Math.max(index < 0 ? index + length : index, -1), length - 1);
}
