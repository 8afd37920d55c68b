import { setTimeout as wait } from "node:timers/promises";
import { createNamespace } from "../../../starlark/index.ts";

/** `time.now()`, in UTC and whole seconds, and `time.sleep(seconds)`, which counts against the script's time. */
export function timeModule({ now, signal }: { now: () => number; signal: AbortSignal }): unknown {
  return createNamespace("time", {
    now: () => new Date(now()).toISOString().replace(/\.\d+Z$/, "Z"),
    sleep: async (seconds: unknown) => {
      if (typeof seconds !== "number" || !(seconds >= 0)) throw new Error("seconds must be a number, 0 or more");
      await wait(Math.min(seconds, longestSeconds) * 1000, undefined, { signal });
    },
  });
}

const longestSeconds = 5;
