import { setTimeout as sleep } from "node:timers/promises";
import { environment } from "../../environment/environment.ts";
import type { Environment } from "../../environment/environment.ts";

/** Waits as long as it is told, and tells who waited: for load tests. The benchmark environment of openenv-scaling. */
export function waiting(): Environment {
  return environment({
    name: "waiting",
    version: "1.0.0",
    description: "Waits as long as it is told, for load tests.",
    start: ({ random }): Wait => ({ seconds: 0, session: random.nextUint64().toString(16).padStart(16, "0") }),
    observe: ({ seconds, session }) => ({ waited_seconds: seconds, pid: process.pid, session_hash: session }),
    action: "time_wait",
    tools: (tool) => ({
      time_wait: tool({
        description: "Wait",
        input: {
          type: "object",
          properties: { wait_seconds: { type: "number", minimum: 0, maximum: longest, default: 0 } },
        },
        timeoutMs: (longest + 5) * 1000,
        run: async ({ wait_seconds: seconds = 0 }, call) => {
          const wait = Number(seconds);
          if (wait > 0) await sleep(wait * 1000, undefined, { signal: call.signal });
          call.state.seconds = wait;
        },
      }),
    }),
  });
}

interface Wait {
  seconds: number;
  readonly session: string;
}

/** Python clients wait no longer for an answer. */
const longest = 60;
