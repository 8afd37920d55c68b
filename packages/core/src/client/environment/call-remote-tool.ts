import { setTimeout as pause } from "node:timers/promises";
import { BiplaneError } from "../../errors.ts";
import type { JsonObject } from "../../tool/schema.ts";
import type { Client } from "../client.ts";
import { rpcErrorOf } from "../response.ts";
import { isCallTool, isCode } from "./action.ts";
import type { EnvironmentAction } from "./action.ts";
import { failedAction, readActionResult } from "./action-result.ts";
import type { ActionResult } from "./action-result.ts";

export interface RemoteCall {
  readonly tool: string;
  readonly input: JsonObject;
}

/** The tool call that performs an action over MCP. Code is the input of the tool `run_code`. */
export function remoteCall(action: EnvironmentAction, server: { name: string; has: (tool: string) => boolean }) {
  const { name, has } = server;
  if (isCallTool(action)) return { tool: action.tool_name, input: action.arguments };
  if (isCode(action)) {
    const { type: _, ...input } = action;
    if (has(codeTool)) return { tool: codeTool, input };
    throw new BiplaneError("NOT_SUPPORTED", `${name} runs no code: it has no tool ${codeTool}.`);
  }
  throw new BiplaneError(
    "NOT_SUPPORTED",
    `${name} is played over MCP, which has only tool calls. Use callTool(name, input) or an OpenEnv URL.`,
  );
}

/**
 * Calls a tool over MCP. Protocol errors, such as an unknown tool, become results for the agent. Retries while the
 * server is busy; throws everything else.
 */
export async function callRemoteTool(
  client: Client,
  { tool, input }: RemoteCall,
  signal: AbortSignal | undefined,
): Promise<ActionResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      return readActionResult(await client.callTool(tool, input, { signal, idempotent: false }));
    } catch (error) {
      if (!(error instanceof BiplaneError)) throw error;
      const isBusy = error.code === "RATE_LIMITED" || error.code === "CAPACITY";
      if (isBusy && attempt < maxAttempts)
        await pause(attempt * 100 * (0.5 + Math.random()), undefined, signal && { signal });
      else if (!isBusy && rpcErrorOf(error) !== undefined) return failedAction(error);
      else throw error;
    }
  }
}

const codeTool = "run_code";
const maxAttempts = 6;
