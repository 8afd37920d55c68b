import { Builtin } from "../values/callable.ts";
import type { Value } from "../values/value.ts";
import { collectionBuiltins } from "./collections.ts";
import { conversionBuiltins } from "./conversions.ts";
import { inspectionBuiltins } from "./inspection.ts";
import { orderingBuiltins } from "./ordering.ts";

/** The predeclared names of every Starlark program. */
export const universe: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["None", null],
  ["True", true],
  ["False", false],
  ...[collectionBuiltins, conversionBuiltins, inspectionBuiltins, orderingBuiltins]
    .flatMap((builtins) => Object.entries(builtins))
    .map(([name, implementation]): [string, Value] => [name, new Builtin(name, implementation)]),
]);
