import type { CodeEngine, CodeLimits, CodeResult } from "../../code/engine.ts";
import { BiplaneError } from "@biplane/core";
import type { CallerResource } from "../shared/caller/per-caller.ts";

/** One caller's session in one language. It has no `save` if the engine cannot save state. */
export interface ReplSession extends CallerResource {
  run(code: string, options: { signal: AbortSignal; wallMs: number }): Promise<CodeResult>;
}

/** Opens a session from its saved state, if there is one. The caller is charged for it. */
export async function openRepl(
  engine: CodeEngine,
  { saved, limits, caller }: { saved: unknown; limits: Partial<CodeLimits>; caller: string | undefined },
): Promise<ReplSession> {
  const from = typeof saved === "string" ? { from: Buffer.from(saved, "base64") } : {};
  const context = await engine.open({ tools: [], limits, caller, ...from });
  return {
    ...(context.snapshot && {
      save: async () => Buffer.from((await context.snapshot?.()) ?? []).toString("base64"),
    }),
    run: async (code, { signal, wallMs }) => {
      signal.throwIfAborted();
      const late = new AbortController();
      const onTimeout = () => late.abort(new BiplaneError("TIMEOUT", `The code timed out after ${wallMs} ms.`));
      const timer = setTimeout(onTimeout, wallMs);
      try {
        return await context.run(code, { call: noTools, signal: AbortSignal.any([signal, late.signal]) });
      } finally {
        clearTimeout(timer);
      }
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

function noTools(tool: string): never {
  throw new BiplaneError("TOOL_NOT_FOUND", `There is no tool ${tool}. The REPL has no tools.`);
}
