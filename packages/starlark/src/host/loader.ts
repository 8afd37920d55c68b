import { Failure } from "../runtime/failure.ts";
import type { Value } from "../values/value.ts";

export type Exports = ReadonlyMap<string, Value>;

/**
 * Creates the function behind `load` statements. Each module is resolved and run once. Throws for modules that load
 * each other in a cycle.
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
