import { nearestSpelling } from "../resolve/spelling.ts";
import { Failure } from "../runtime/failure.ts";
import { Bytes } from "../values/bytes.ts";
import { Builtin, type BuiltinCall } from "../values/callable.ts";
import { Dict } from "../values/dict.ts";
import { HostObject } from "../values/host-object.ts";
import { List } from "../values/list.ts";
import { StarlarkSet } from "../values/set.ts";
import { typeName, type Value } from "../values/value.ts";
import { bytesMethods } from "./bytes.ts";
import { dictMethods } from "./dict.ts";
import { listMethods } from "./list.ts";
import { setMethods } from "./set.ts";
import { stringMethods } from "./string.ts";

export type Method = (call: BuiltinCall) => Value;

/** The methods of a value's type. */
export function methodsOf(value: Value): ReadonlyMap<string, Method> {
  if (typeof value === "string") return stringMethods;
  if (value instanceof List) return listMethods;
  if (value instanceof Dict) return dictMethods;
  if (value instanceof StarlarkSet) return setMethods;
  if (value instanceof Bytes) return bytesMethods;
  return noMethods;
}

/** `value.name`, or undefined when there is no such attribute. */
export function findAttribute(value: Value, name: string): Value | undefined {
  if (value instanceof HostObject) return value.behaviour.getAttribute?.(name);
  const method = methodsOf(value).get(name);
  return method && new Builtin(name, method, { receiver: value });
}

export function getAttribute(value: Value, name: string): Value {
  const attribute = findAttribute(value, name);
  if (attribute === undefined) throw noAttribute(value, name);
  return attribute;
}

export function setAttribute(value: Value, name: string, attribute: Value): void {
  if (value instanceof HostObject && value.behaviour.setAttribute) {
    if (value.behaviour.setAttribute(name, attribute)) return;
    throw noAttribute(value, name);
  }
  throw new Failure(`can't assign to .${name} field of ${typeName(value)}`);
}

export function attributeNames(value: Value): readonly string[] {
  if (value instanceof HostObject) return value.behaviour.attributeNames?.() ?? [];
  return [...methodsOf(value).keys()];
}

const noMethods: ReadonlyMap<string, Method> = new Map();

function noAttribute(value: Value, name: string): Failure {
  const suggestion = nearestSpelling(name, attributeNames(value));
  const hint = suggestion === undefined ? "" : ` (did you mean .${suggestion}?)`;
  return new Failure(`${typeName(value)} has no .${name} field or method${hint}`);
}
