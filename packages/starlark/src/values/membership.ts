import { Failure } from "../runtime/failure.ts";
import type { Thread } from "../runtime/thread.ts";
import { Bytes } from "./bytes.ts";
import { isEqual } from "./compare.ts";
import { Dict } from "./dict.ts";
import { findText } from "./find-text.ts";
import { Float } from "./float.ts";
import { HostObject } from "./host-object.ts";
import { isInt } from "./int.ts";
import { List } from "./list.ts";
import { Range } from "./range.ts";
import { StarlarkSet } from "./set.ts";
import { Tuple } from "./tuple.ts";
import { typeName, type Value } from "./value.ts";

/** `element in collection`. */
export function isMember(thread: Thread, element: Value, collection: Value): boolean {
  if (collection instanceof List || collection instanceof Tuple) return isListed(thread, element, collection.elements);
  if (collection instanceof Dict) return isKey(thread, element, collection);
  if (collection instanceof StarlarkSet) return collection.table.has(thread, element);
  if (typeof collection === "string") {
    if (typeof element === "string") return findText(thread, collection, element, 0) >= 0;
    throw new Failure(`'in <string>' requires string as left operand, not ${typeName(element)}`);
  }
  if (collection instanceof Range) {
    if (isInt(element)) return typeof element === "number" && collection.has(element);
    // A float stands for the int it truncates to, as in starlark-go.
    if (element instanceof Float && Number.isFinite(element.value)) return collection.has(Math.trunc(element.value));
    throw new Failure(`'in <range>' requires integer as left operand, not ${typeName(element)}`);
  }
  if (collection instanceof Bytes) return isInBytes(thread, element, collection);
  if (collection instanceof HostObject) {
    const answer = collection.behaviour.binary?.("in", element, "right");
    if (answer !== undefined) return answer === true;
  }
  throw new Failure(`unknown binary op: ${typeName(element)} in ${typeName(collection)}`);
}

function isListed(thread: Thread, element: Value, elements: readonly Value[]): boolean {
  for (const candidate of elements) if (isEqual(thread, candidate, element)) return true;
  thread.charge(elements.length);
  return false;
}

/** A value that cannot be hashed is not a key of anything. */
function isKey(thread: Thread, element: Value, dict: Dict): boolean {
  try {
    return dict.table.has(thread, element);
  } catch (error) {
    if (error instanceof Failure && error.code === "evaluation") return false;
    throw error;
  }
}

function isInBytes(thread: Thread, element: Value, { data }: Bytes): boolean {
  if (element instanceof Bytes) return findText(thread, data, element.data, 0) >= 0;
  if (!isInt(element)) {
    throw new Failure(`'in bytes' requires bytes or int as left operand, not ${typeName(element)}`);
  }
  if (element < 0 || element > 255)
    throw new Failure(`int in bytes: ${element} out of range (want value in unsigned 8-bit range)`);
  thread.charge(data.length >> 6);
  return data.includes(String.fromCharCode(Number(element)));
}
