import { makeFailure, readFailure } from "../../environment/failure.ts";
import { BiplaneError } from "../../errors.ts";
import type { ErrorCode } from "../../errors.ts";
import { isRecord } from "../../is-record.ts";
import type { Content } from "../../tool/content.ts";
import type { JsonObject } from "../../tool/schema.ts";
import type { ToolInfo } from "../results.ts";
import { failedAction } from "./action-result.ts";
import type { ActionResult } from "./action-result.ts";
import type { ControlPlaneFault, StepOutcome } from "./environment-client.ts";

/** The tool name that OpenEnv uses for an environment's typed action. */
export const typedAction = "act";

export function typedTool(action: JsonObject): ToolInfo {
  const { properties, ...rest } = action;
  const { metadata: _, ...own } = isRecord(properties) ? properties : {};
  const description = typeof action["description"] === "string" ? action["description"] : "Act in the environment";
  return { name: typedAction, description, inputSchema: { type: "object", ...rest, properties: own } };
}

/** Reads the answer to `list_tools`. Servers spell the schema in both ways. */
export function readTools({ observation }: JsonObject): ToolInfo[] {
  const tools = isRecord(observation) && Array.isArray(observation["tools"]) ? observation["tools"] : [];
  return tools.filter(isRecord).map((tool) => ({
    name: String(tool["name"]),
    description: typeof tool["description"] === "string" ? tool["description"] : "",
    inputSchema: (tool["input_schema"] ?? tool["inputSchema"] ?? { type: "object" }) as JsonObject,
  }));
}

/** Reads the answer to a reset. */
export function readReset({ observation, metadata }: JsonObject): { observation: unknown; id: string | undefined } {
  const id = isRecord(metadata) ? metadata["episode_id"] : undefined;
  return { observation: withoutStatus(observation), id: typeof id === "string" ? id : undefined };
}

/** Reads the answer to a step. */
export function readStep(payload: JsonObject, { isToolCall }: { isToolCall: boolean }): StepOutcome {
  const status = readStatus(payload);
  const seen = withoutStatus(payload["observation"]);
  if (!isToolCall) {
    const calls = isRecord(seen) && Array.isArray(seen["calls"]) ? (seen["calls"] as unknown[]) : undefined;
    return { observation: seen, content: [], calls, ...status };
  }
  const result = readToolResult(seen);
  const isNoStep = result.error && status.reward === null && !status.failure?.masked;
  return { ...result, ...status, ...(isNoStep && { reward: 0 }) };
}

/** Reads reward and status. */
export function readStatus({ reward, done, metadata }: JsonObject): Omit<StepOutcome, "observation" | "content"> {
  const {
    terminated,
    truncated,
    reward_parts: parts,
    step_count: stepCount,
    failure,
  } = isRecord(metadata) ? metadata : {};
  const isReward = reward === null || reward === undefined || typeof reward === "number" || typeof reward === "boolean";
  const why = `the reward is ${JSON.stringify(reward)}, not a number`;
  const faults: ControlPlaneFault[] = isReward ? [] : [{ what: "reward", why }];
  return {
    reward: isReward && reward !== null && reward !== undefined ? Number(reward) : null,
    parts: isRecord(parts) ? (parts as Record<string, number>) : undefined,
    terminated: terminated === true || (done === true && truncated !== true),
    truncated: truncated === true,
    done: done === true,
    stepCount: typeof stepCount === "number" ? stepCount : undefined,
    failure: readFailure(failure) ?? (isReward ? undefined : makeFailure("environment", why)),
    info: { reward_source: "openenv", status_source: "openenv" },
    faults,
  };
}

function readToolResult(observation: unknown): ActionResult {
  const { result, error } = isRecord(observation) ? observation : {};
  if (isRecord(error)) {
    const code = errorCodes.get(error["error_type"]) ?? "EXECUTION_ERROR";
    return failedAction(new BiplaneError(code, String(error["message"])));
  }
  if (!isRecord(result)) return { observation: result ?? observation, content: [] };
  const content = Array.isArray(result["content"]) ? (result["content"] as Content[]) : [];
  const data = "data" in result ? result["data"] : result;
  if (result["is_error"] !== true) return { observation: data, content };
  return { ...failedAction(new BiplaneError("EXECUTION_ERROR", textOf(data))), content };
}

const errorCodes: ReadonlyMap<unknown, ErrorCode> = new Map<unknown, ErrorCode>([
  ["tool_not_found", "TOOL_NOT_FOUND"],
  ["invalid_args", "INVALID_INPUT"],
  ["timeout", "TIMEOUT"],
]);

function textOf(data: unknown): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}

/** Hides reward and status from the agent: some servers repeat them in the observation. */
function withoutStatus(observation: unknown): unknown {
  if (!isRecord(observation)) return observation;
  const { reward: _, done: __, metadata: ___, ...seen } = observation;
  return seen;
}
