import { allow, deny } from "@biplane/core";
import type { Policy, Served } from "@biplane/core";
import { connect, readToolError } from "@biplane/core/client";
import type { ToolResult } from "@biplane/core/client";
import { ServerCore, isRecord, messageOf } from "@biplane/core/internal";
import type { CallNow } from "./call-index.ts";

/** The live server, for calls that a recording does not have. */
export interface LiveFallback extends AsyncDisposable {
  /** Undefined if a policy refuses the call, or the server does not have the tool. */
  call(call: CallNow, signal: AbortSignal): Promise<ToolResult | undefined>;
}

export interface LiveFallbackOptions {
  /** Every policy must allow a call (default: only tools with `readOnlyHint` may run). */
  readonly policies?: readonly Policy[];
}

/** Opens the fall-through to a live server, with policies of its own. Closing it closes the server. */
export async function liveFallback(live: Served, options: LiveFallbackOptions = {}): Promise<LiveFallback> {
  const { policies = [readOnlyTools(live)] } = options;
  const server = new ServerCore({ name: "live", limits: false, policies });
  server.mount(live.name, live, { prefix: "never" });
  const client = await connect(server);
  return {
    call: async ({ tool, arguments: input }, signal) => {
      if (server.find(tool) === undefined) return undefined;
      const result = await client.callTool(tool, isRecord(input) ? input : {}, { signal }).catch(failed);
      return readToolError(result)?.code === "POLICY_DENIED" ? undefined : result;
    },
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server.close();
      await live.close();
    },
  };
}

/** Allows the tools that say that they change nothing. */
function readOnlyTools({ catalog }: Served): Policy {
  return function readOnlyTools(_, tool) {
    if (catalog.tools.get(tool)?.annotations.readOnlyHint === true) return allow();
    return deny(`${tool} does not say that it only reads. Allow it by name to let it run.`);
  };
}

function failed(error: unknown): ToolResult {
  return { content: [{ type: "text", text: `The live server failed: ${messageOf(error)}` }], isError: true };
}
