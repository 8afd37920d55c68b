import { isForModel } from "../../tool/app.ts";
import { LiveCall } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import { BiplaneError } from "../../errors.ts";
import { foreignFailure } from "../../server/foreign.ts";
import { serverOf } from "../../environment/served.ts";
import type { Server } from "../../server/server.ts";
import { isReply } from "../../tool/content.ts";
import type { Tool } from "../../tool/tool.ts";
import type { RequestOptions } from "../options.ts";
import { failedResult } from "../results.ts";
import type { ToolInfo, ToolResult } from "../results.ts";

/** A target for a model's calls. A `Client` is one; `toolsOf` makes one from a server or episode in this process. */
export interface ToolSource {
  listTools(): Promise<readonly ToolInfo[]>;
  callTool(
    name: string,
    input: Readonly<Record<string, unknown>>,
    options?: Pick<RequestOptions, "signal">,
  ): Promise<ToolResult>;
}

/** Makes a tool source from a server in this process, or an environment's episode. Policies and limits apply. */
export function toolsOf(server: Server): ToolSource;
export function toolsOf(environment: Environment, episode: Episode): ToolSource;
export function toolsOf(target: Server | Environment, episode?: Episode): ToolSource {
  const server = serverOf(target);
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

/** Converts a call's outcome into the result that a client would get. */
export function resultOf(outcome: Outcome): ToolResult {
  if (outcome.status === "suspended")
    throw new BiplaneError("NOT_SUPPORTED", "The tool asks a question, and this caller cannot answer questions.");
  if (outcome.status === "failed") {
    const { error } = outcome;
    if (error.code === "CANCELLED") throw error;
    const original = error.details?.[foreignFailure] as ToolResult | undefined;
    if (!original) return failedResult(error);
    const { structuredContent: _, ...rest } = original;
    return rest;
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

export function infoOf({ name, title, description, input, output, annotations }: Tool): ToolInfo {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: input.json,
    ...(output && { outputSchema: output.json }),
    annotations,
  };
}
