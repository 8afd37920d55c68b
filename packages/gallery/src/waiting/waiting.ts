import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { environment } from "@biplane/core";

/** Waits for a given time and reports its host, process and session. For load tests, as in openenv-scaling. */
export function waiting() {
  return environment({
    name: "waiting",
    version: "1.0.0",
    description: "Waits for a given time. For load tests.",
    start: ({ random }): Wait => ({
      seconds: 0,
      session: random.nextUint64().toString(16).padStart(16, "0"),
      steps: 0,
    }),
    observe: ({ seconds, session, steps }) => ({
      waited_seconds: seconds,
      pid: process.pid,
      session_hash: session,
      host_url: `${hostname()}:${process.env["PORT"] ?? 8000}`, // an environment does not know where it is served
      step_count: steps,
    }),
    action: "time_wait",
    tools: (tool) => ({
      time_wait: tool({
        description: "Wait",
        input: {
          type: "object",
          properties: { wait_seconds: { type: "number", minimum: 0, maximum: maxSeconds, default: 0 } },
        },
        timeoutMs: (maxSeconds + 5) * 1000,
        run: async ({ wait_seconds: seconds = 0 }, call) => {
          if (seconds > 0) await sleep(seconds * 1000, undefined, { signal: call.signal });
          call.state.seconds = seconds;
          call.state.steps++;
        },
      }),
    }),
  });
}

interface Wait {
  seconds: number;
  readonly session: string;
  steps: number;
}

/** The timeout of Python clients, in seconds. */
const maxSeconds = 60;
