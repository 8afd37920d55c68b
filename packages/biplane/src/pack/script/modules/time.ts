import { setTimeout as wait } from "node:timers/promises";
import type { HostFunctions } from "@biplane/starlark";

/** `time.now()` in UTC with whole seconds, and `time.sleep(seconds)`, which counts towards the time limit. */
export function timeModule({ now, signal }: { now: () => number; signal: AbortSignal }): HostFunctions[string] {
  return {
    now: () => new Date(now()).toISOString().replace(/\.\d+Z$/, "Z"),
    sleep: async (seconds: unknown) => {
      if (typeof seconds !== "number" || !(seconds >= 0)) throw new Error("seconds must be a number, 0 or more");
      await wait(Math.min(seconds, maxSeconds) * 1000, undefined, { signal });
    },
  };
}

const maxSeconds = 5;
