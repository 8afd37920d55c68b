import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { decodeAt, encodeCodePoint } from "../utf8.ts";
import { Dict } from "./dict.ts";
import { HostObject } from "./host-object.ts";
import { List } from "./list.ts";
import { elementBytes } from "./memory.ts";
import { Range } from "./range.ts";
import { StarlarkSet } from "./set.ts";
import { BytesView, StringView } from "./string-view.ts";
import { Tuple } from "./tuple.ts";
import type { Value } from "./value.ts";

export type Iterable = List | Tuple | Dict | StarlarkSet | Range | StringView | BytesView | HostObject;

export function isIterable(value: Value): value is Iterable {
  if (value instanceof HostObject) return value.behaviour.iterate !== undefined;
  return (
    value instanceof List ||
    value instanceof Tuple ||
    value instanceof Dict ||
    value instanceof StarlarkSet ||
    value instanceof Range ||
    value instanceof StringView ||
    value instanceof BytesView
  );
}

/**
 * Calls `visit` with each element until it returns false. Lists, dicts and sets are locked against changes during the
 * iteration.
 */
export function iterate(iterable: Iterable, visit: (element: Value) => boolean | void): void {
  if (iterable instanceof List) {
    iterable.iterators++;
    try {
      for (const element of iterable.elements) if (visit(element) === false) return;
    } finally {
      iterable.iterators--;
    }
  } else if (iterable instanceof Dict || iterable instanceof StarlarkSet) {
    const { table } = iterable;
    table.iterators++;
    try {
      for (const entry of table.entries.values()) if (visit(entry.key) === false) return;
    } finally {
      table.iterators--;
    }
  } else if (iterable instanceof Range) {
    const { start, step, length } = iterable;
    for (let index = 0; index < length; index++) if (visit(start + index * step) === false) return;
  } else {
    const elements = iterable instanceof Tuple ? iterable.elements : generate(iterable);
    for (const element of elements) if (visit(element) === false) return;
  }
}

/** All elements as a new array, with its memory counted. Throws if the value is not iterable. */
export function toArray(thread: Thread, value: Value): Value[] {
  if (!isIterable(value)) throw new Failure("not iterable");
  const length = lengthOf(value);
  if (length !== undefined) {
    thread.allocate(length * elementBytes);
    thread.charge(length);
  }
  if (value instanceof List || value instanceof Tuple) return [...value.elements];
  const result: Value[] = [];
  iterate(value, (element) => {
    if (length === undefined) {
      thread.allocate(elementBytes);
      thread.charge(1);
    }
    result.push(element);
  });
  return result;
}

/** The number of elements, for sequences that know it. */
export function lengthOf(value: Value): number | undefined {
  if (typeof value === "string") return value.length;
  if (value instanceof List || value instanceof Tuple) return value.elements.length;
  if (value instanceof Dict || value instanceof StarlarkSet) return value.table.size;
  if (value instanceof Range) return value.length;
  if (value instanceof StringView && value.kind.startsWith("elem")) return value.text.length;
  return undefined;
}

function* generate(iterable: StringView | BytesView | HostObject): Generator<Value> {
  if (iterable instanceof BytesView) {
    const { data } = iterable.bytes;
    for (let index = 0; index < data.length; index++) yield data.charCodeAt(index);
  } else if (iterable instanceof StringView) yield* generateText(iterable);
  else {
    const iterator = iterable.behaviour.iterate?.();
    for (let next = iterator?.next(); next && !next.done; next = iterator?.next()) yield next.value;
  }
}

function* generateText({ text, kind }: StringView): Generator<Value> {
  for (let index = 0; index < text.length;) {
    if (kind === "elems") yield text.charAt(index++);
    else if (kind === "elem_ords") yield text.charCodeAt(index++);
    else {
      const { codePoint, size } = decodeAt(text, index);
      index += size;
      yield kind === "codepoint_ords" ? codePoint : encodeCodePoint(codePoint);
    }
  }
}
