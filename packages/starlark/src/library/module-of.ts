import type { BuiltinTable } from "../builtins/arguments.ts";
import { Builtin } from "../values/callable.ts";
import type { HostObject } from "../values/host-object.ts";
import { namespaceOf } from "../values/namespace.ts";
import type { Value } from "../values/value.ts";

/** A module of the library: constants and functions. */
export function moduleOf(name: string, functions: BuiltinTable, constants: Record<string, Value> = {}): HostObject {
  const builtins = Object.entries(functions).map(
    ([member, run]) => [member, new Builtin(`${name}.${member}`, run)] as const,
  );
  return namespaceOf(name, new Map<string, Value>([...Object.entries(constants), ...builtins]));
}
