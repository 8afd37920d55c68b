import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { Bytes } from "./bytes.ts";
import { Dict } from "./dict.ts";
import { fitsIndex, isInt } from "./int.ts";
import { lengthOf } from "./iterate.ts";
import { List } from "./list.ts";
import { storedBytes } from "./memory.ts";
import { Range } from "./range.ts";
import { repr } from "./repr.ts";
import { StringView } from "./string-view.ts";
import { Tuple } from "./tuple.ts";
import { typeName, type Value } from "./value.ts";

/** `object[index]`. */
export function getIndex(thread: Thread, object: Value, index: Value): Value {
  if (object instanceof Dict) {
    const found = object.table.get(thread, index);
    if (found === undefined) throw new Failure(`key ${repr(thread, index)} not in dict`);
    return found;
  }
  const length = object instanceof Bytes ? object.data.length : lengthOf(object);
  if (length === undefined || !isIndexable(object)) {
    throw new Failure(`unhandled index operation ${typeName(object)}[${typeName(index)}]`);
  }
  return elementAt(object, checkIndex(index, { type: typeName(object), length }));
}

/** `object[index] = value`. */
export function setIndex(thread: Thread, object: Value, index: Value, value: Value): void {
  if (object instanceof Dict) return object.table.set(thread, index, value);
  if (!(object instanceof List)) throw new Failure(`${typeName(object)} value does not support item assignment`);
  if (!isInt(index)) throw new Failure(`got ${typeName(index)}, want int`);
  if (!fitsIndex(index)) throw new Failure(`${index} out of range`);
  const position = checkIndex(index, { type: "list", length: object.elements.length });
  object.checkMutable("assign to element of");
  thread.allocate(storedBytes(value));
  object.elements[position] = value;
}

type Indexable = string | Bytes | List | Tuple | Range | StringView;

function isIndexable(value: Value): value is Indexable {
  return (
    typeof value === "string" ||
    value instanceof List ||
    value instanceof Tuple ||
    value instanceof Bytes ||
    value instanceof Range ||
    value instanceof StringView
  );
}

function checkIndex(index: Value, sequence: { type: string; length: number }): number {
  const { type, length } = sequence;
  if (!isInt(index)) throw new Failure(`${type} index: got ${typeName(index)}, want int`);
  if (!fitsIndex(index)) throw new Failure(`${type} index: ${index} out of range`);
  const position = index < 0 ? index + length : index;
  if (position >= 0 && position < length) return position;
  if (length === 0) throw new Failure(`index ${index} out of range: empty ${type}`);
  throw new Failure(`${type} index ${index} out of range [${-length}:${length - 1}]`);
}

function elementAt(object: Indexable, position: number): Value {
  if (typeof object === "string") return object.charAt(position);
  if (object instanceof Bytes) return new Bytes(object.data.charAt(position));
  if (object instanceof Range) return object.at(position);
  if (object instanceof StringView) {
    return object.kind === "elems" ? object.text.charAt(position) : object.text.charCodeAt(position);
  }
  return object.elements[position] ?? null;
}
