import { setTimeout as sleep } from "node:timers/promises";
import { environment } from "../packages/core/src/environment/environment.ts";

/** Counts, and breaks in the middle of an episode on request: its judge, itself, or a tool that never ends. */
export const fragile = () =>
  environment({
    name: "fragile",
    version: "1.0.0",
    description: "Counts to five, and breaks on request.",
    onFault: () => undefined,
    start: () => ({ counted: 0, broken: "" }),
    observe: ({ counted }) => ({ counted }),
    tools: (tool) => ({
      number_count: tool({ description: "Count up", run: (_, { state }) => ++state.counted }),
      judge_kill: tool({ description: "Kill the judge", run: (_, { state }) => void (state.broken = "judge") }),
      environment_kill: tool({
        description: "Kill the environment",
        run: (_, { state }) => void (state.broken = "environment"),
      }),
      time_waste: tool({
        description: "Take longer than allowed",
        timeoutMs: 200,
        run: async () => {
          await sleep(5000, undefined, { ref: false });
        },
      }),
      error_throw: tool({
        description: "Refuse, as a tool does that was called wrongly",
        run: () => {
          throw new Error("not like this");
        },
      }),
    }),
    reward: ({ before, after }) => {
      if (after.broken === "judge") throw new Error("the judge is gone");
      return after.counted - before.counted;
    },
    status: ({ counted, broken }) => {
      if (broken === "environment") throw new Error("the environment is gone");
      return { terminated: counted >= 5 };
    },
  });
