import { isForModel } from "../../tool/app.ts";
import { LiveCall } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import { BiplaneError } from "../../errors.ts";
import { foreignFailure } from "../../server/foreign.ts";
import type { Server } from "../../server/server.ts";
import { isReply, text } from "../../tool/content.ts";
import type { Tool } from "../../tool/tool.ts";
import type { RequestOptions } from "../options.ts";
import type { ToolInfo, ToolResult } from "../results.ts";

/** Where a model's calls go. A client is one; `toolsOf` makes one of a server or an episode in this process. */
export interface ToolSource {
  listTools(): Promise<readonly ToolInfo[]>;
  callTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    options?: Pick<RequestOptions, "signal">,
  ): Promise<ToolResult>;
}

/** A server in this process, or an episode of an environment, for a model's calls. Policies and limits hold as ever. */
export function toolsOf(server: Server): ToolSource;
export function toolsOf(environment: Environment, episode: Episode): ToolSource;
export function toolsOf(of: Server | Environment, episode?: Episode): ToolSource {
  const server = "server" in of ? of.server : of;
  return {
    listTools: async () => Array.from(server.listed).filter(isForModel).map(infoOf),
    callTool: async (tool, input, { signal } = {}) => {
      const agent = { agentId: "model", model: undefined, requestId: crypto.randomUUID(), metadata: {} };
      const principal = { kind: "local", id: "local", scopes: [] } as const;
      const scope = episode?.asScope;
      const call = new LiveCall({ tool, input, route: "direct", agent, principal, scope, patienceMs: Infinity });
      const cancel = () => call.cancel();
      if (signal?.aborted) cancel();
      signal?.addEventListener("abort", cancel, { once: true });
      try {
        return resultOf(await server.perform(call));
      } finally {
        signal?.removeEventListener("abort", cancel);
      }
    },
  };
}

/** What a call came to, as a client would see it. */
export function resultOf(outcome: Outcome): ToolResult {
  if (outcome.status === "suspended")
    throw new BiplaneError("NOT_SUPPORTED", "the tool asks, and nobody can answer here");
  if (outcome.status === "failed") {
    const { error } = outcome;
    if (error.code === "CANCELLED") throw error;
    const told = error.details?.[foreignFailure] as ToolResult | undefined;
    return told ?? { content: [text(`Error: ${error.message}`)], isError: true };
  }
  const { value, content } = outcome;
  const structured = isReply(value)
    ? value.structured
    : typeof value === "object" && value !== null
      ? value
      : undefined;
  const more = isReply(value) ? value.more : undefined;
  return { content, ...(structured !== undefined && { structuredContent: structured }), ...more };
}

function infoOf({ name, title, description, input, output, annotations }: Tool): ToolInfo {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: input.json,
    ...(output && { outputSchema: output.json }),
    annotations,
  };
}
