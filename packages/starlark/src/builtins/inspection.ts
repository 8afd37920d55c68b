import { Failure } from "../runtime/failure.ts";
import { decodeAt } from "../utf8.ts";
import { Bytes } from "../values/bytes.ts";
import type { BuiltinCall } from "../values/callable.ts";
import { lengthOf } from "../values/iterate.ts";
import { List } from "../values/list.ts";
import { repr, toText } from "../values/repr.ts";
import { typeName, type Value } from "../values/value.ts";
import {
  expectPositional,
  prefixed,
  refuseNamed,
  stringAt,
  takes,
  unexpectedKeyword,
  type BuiltinTable,
} from "./arguments.ts";
import { attributeNames, findAttribute, getAttribute } from "./methods.ts";

export const inspectionBuiltins: BuiltinTable = {
  dir: (call) => {
    refuseNamed(call);
    expectPositional(call, 1);
    return new List([...attributeNames(call.positional[0] ?? null)].sort());
  },
  fail: (call) => {
    throw new Failure(
      `fail: ${joinText(call, (value) => (typeof value === "string" ? value : repr(call.thread, value)))}`,
    );
  },
  getattr: takes(2, 3, (call) => {
    const [object = null, , fallback] = call.positional;
    const name = stringAt(call, 1);
    const found = findAttribute(object, name) ?? fallback;
    return found === undefined ? prefixed("getattr", () => getAttribute(object, name)) : found;
  }),
  hasattr: takes(2, 2, (call) => findAttribute(call.positional[0] ?? null, stringAt(call, 1)) !== undefined),
  /** Stable across runs and machines: Java's string hash over code points, and 32-bit FNV-1a over bytes. */
  hash: takes(1, 1, (call) => {
    const [value = null] = call.positional;
    if (typeof value === "string") {
      call.thread.charge(value.length >> 2);
      let result = 0;
      for (let index = 0; index < value.length;) {
        const { codePoint, size } = decodeAt(value, index);
        result = (Math.imul(result, 31) + codePoint) | 0;
        index += size;
      }
      return result;
    }
    if (!(value instanceof Bytes)) throw new Failure(`hash: got ${typeName(value)}, want string or bytes`);
    call.thread.charge(value.data.length >> 2);
    let result = 0x811c9dc5;
    for (let index = 0; index < value.data.length; index++) {
      result = Math.imul(result ^ value.data.charCodeAt(index), 0x01000193) >>> 0;
    }
    return result;
  }),
  len: takes(1, 1, (call) => {
    const [value = null] = call.positional;
    const length = value instanceof Bytes ? value.data.length : lengthOf(value);
    if (length === undefined) throw new Failure(`len: value of type ${typeName(value)} has no len`);
    return length;
  }),
  print: (call) => {
    call.thread.print(joinText(call, (value) => toText(call.thread, value)));
    return null;
  },
  type: (call) => {
    refuseNamed(call);
    if (call.positional.length !== 1) {
      throw new Failure(`type: got ${call.positional.length} arguments, want exactly 1`);
    }
    return typeName(call.positional[0] ?? null);
  },
};

/** The arguments as text, with a separator that may be given as `sep`. */
function joinText(call: BuiltinCall, show: (value: Value) => string): string {
  let separator = " ";
  for (const [name, value] of call.named) {
    if (name !== "sep") throw unexpectedKeyword(call.name, name, []);
    if (typeof value !== "string") {
      throw new Failure(`${call.name}: for parameter "sep": got ${typeName(value)}, want string`);
    }
    separator = value;
  }
  const text = call.positional.map(show).join(separator);
  call.thread.charge(text.length >> 4);
  return text;
}
