import type { LiveCall } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import { BiplaneError } from "../../errors.ts";
import { ActionFault } from "./action-fault.ts";
import { isRecord, payload, toolError } from "./payload.ts";
import type { Payload } from "./payload.ts";

/**
 * An action that is code: `{"type": "code", "code": …, "language": …}`, or `{"code": …}` as OpenEnv's coding environment
 * has it. Undefined where the action is something else.
 */
export function readCodeAction(
  { server, rules }: Environment,
  action: Record<string, unknown>,
): { tool: string; input: unknown } | undefined {
  const { type, code, language, metadata: _, ...unknown } = action;
  const isPlain = type === undefined && code !== undefined && rules.options.action === undefined;
  if (type !== "code" && !(isPlain && action["tool_name"] === undefined)) return undefined;
  if (typeof code !== "string") throw new ActionFault("string_type", ["code"], "Input should be a valid string", code);
  const [extra] = Object.keys(unknown);
  if (extra !== undefined)
    throw new ActionFault("extra_forbidden", [extra], "Extra inputs are not permitted", unknown[extra]);
  for (const tool of server.tools) {
    if (tool.composite) return { tool: tool.name, input: { code, ...(language !== undefined && { language }) } };
  }
  throw new ActionFault("literal_error", ["type"], "This environment runs no code: it has no codeTool", type);
}

/** What code came to, in the words of OpenEnv's coding environment and, beside them, ours. */
export function codeAnswer(episode: Episode, call: LiveCall, outcome: Outcome): Payload {
  if (outcome.status === "done" && isRecord(outcome.value)) {
    const { stdout, stderr, error, ...rest } = outcome.value;
    const shown = isRecord(error) ? `${String(stderr)}${describe(error)}` : stderr;
    return payload({ stdout, stderr: shown, exit_code: error === null ? 0 : 1, error, ...rest }, episode, call.step);
  }
  const failed =
    outcome.status === "failed" ? outcome.error : new BiplaneError("NOT_SUPPORTED", "The code asks questions");
  const { terminated, truncated, stepCount } = episode;
  const nothing = { reward: null, parts: undefined, terminated, truncated, stepCount };
  const seen = { stdout: "", stderr: `${failed.message}\n`, exit_code: 1, error: toolError(failed), result: null };
  return payload({ ...seen, calls: [] }, episode, call.step ?? nothing);
}

function describe({ name, message, trace }: Record<string, unknown>): string {
  return `${String(name)}: ${String(message)}\n${typeof trace === "string" ? `${trace}\n` : ""}`;
}
