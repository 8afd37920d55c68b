import { environment } from "biplane";
import type { Environment } from "biplane";

/** An environment that breaks in every way, on request. */
export function breakable(options: { masks?: { tool?: boolean; timeout?: boolean } } = {}): Environment {
  return environment({
    name: "breakable",
    version: "1.0.0",
    onFault: () => undefined,
    start: () => ({ breaks: "" }),
    observe: ({ breaks }) => {
      if (breaks === "observe") throw new Error("observe broke\nbadly");
      return { breaks };
    },
    tools: (tool) => ({
      nothing: tool({ run: () => "nothing" }),
      break_part: tool({
        input: { type: "object", properties: { part: { type: "string" } }, required: ["part"] },
        run: ({ part }, { state }) => {
          if (part === "run") throw new Error("the gate is locked");
          state.breaks = part;
          return part === "observe" ? undefined : "broken";
        },
      }),
      hang: tool({ timeoutMs: 20, run: () => new Promise<never>(() => undefined) }),
    }),
    reward: ({ after: { breaks } }) => {
      if (breaks === "reward") throw new Error("the judge is out");
      return breaks === "NaN" ? Number.NaN : 1;
    },
    status: ({ breaks }) => {
      if (breaks === "status") throw new Error("status broke");
      return { terminated: false };
    },
    ...options,
  });
}
