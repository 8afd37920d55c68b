import { spellingHint } from "../resolve/spelling.ts";
import { Failure } from "../runtime/failure.ts";
import { Bytes } from "../values/bytes.ts";
import { Builtin } from "../values/callable.ts";
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

type Methods = ReadonlyMap<string, Builtin["implementation"]>;

/** The methods of a value's type. */
export function methodsOf(value: Value): Methods {
  if (typeof value === "string") return ofString;
  if (value instanceof List) return ofList;
  if (value instanceof Dict) return ofDict;
  if (value instanceof StarlarkSet) return ofSet;
  return value instanceof Bytes ? ofBytes : noMethods;
}

const ofString: Methods = new Map(Object.entries(stringMethods));
const ofList: Methods = new Map(Object.entries(listMethods));
const ofDict: Methods = new Map(Object.entries(dictMethods));
const ofSet: Methods = new Map(Object.entries(setMethods));
const ofBytes: Methods = new Map(Object.entries(bytesMethods));
const noMethods: Methods = new Map();

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

function noAttribute(value: Value, name: string): Failure {
  const hint = spellingHint(name, attributeNames(value), ".");
  return new Failure(`${typeName(value)} has no .${name} field or method${hint}`);
}
