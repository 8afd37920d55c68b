import { Failure } from "../runtime/failure.ts";
import type { Value } from "../values/value.ts";

export type Exports = ReadonlyMap<string, Value>;

/**
 * Makes the function behind `load` statements: each module is looked up and run once, and modules that load each
 * other in a circle are refused.
 */
export function createLoader(loadOnce: (module: string) => Exports): (module: string) => Exports {
  const loaded = new Map<string, Exports | "loading">();
  return (module) => {
    const known = loaded.get(module);
    if (known === "loading") throw new Failure(`cannot load ${module}: cycle in load graph`);
    if (known) return known;
    loaded.set(module, "loading");
    try {
      const exports = loadOnce(module);
      loaded.set(module, exports);
      return exports;
    } finally {
      if (loaded.get(module) === "loading") loaded.delete(module);
    }
  };
}
