import type { Bytes } from "./bytes.ts";
import type { Builtin, StarlarkFunction } from "./callable.ts";
import type { Dict } from "./dict.ts";
import type { Float } from "./float.ts";
import type { HostObject } from "./host-object.ts";
import type { List } from "./list.ts";
import type { Range } from "./range.ts";
import type { StarlarkSet } from "./set.ts";
import type { BytesView, StringView } from "./string-view.ts";
import type { Tuple } from "./tuple.ts";

/**
 * A Starlark value. None is `null`; `undefined` is never a value, only a variable not yet assigned. Ints are numbers
 * or bigints, strings hold one byte of UTF-8 in each character.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Bytes
  | Tuple
  | List
  | Dict
  | StarlarkSet
  | Range
  | StringView
  | BytesView
  | StarlarkFunction
  | Builtin
  | HostObject;

/** The result of `type(value)`. */
export function typeName(value: Value): string {
  if (value === null) return "NoneType";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "number":
    case "bigint":
      return "int";
    case "string":
      return "string";
    default:
      return value.typeName;
  }
}
