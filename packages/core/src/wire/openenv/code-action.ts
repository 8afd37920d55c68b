import type { LiveCall } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import { ActionFault, refuseExtra } from "./action-fault.ts";
import { noStep, openEnvError, payload, toolError } from "./payload.ts";
import type { Payload } from "./payload.ts";
import { isRecord } from "../../is-record.ts";

/**
 * Reads a code action: `{"type": "code", "code": …, "language": …}`, or `{"code": …}` as in OpenEnv's coding
 * environment. Undefined for any other action.
 */
export function readCodeAction(
  { server, rules }: Environment,
  action: Record<string, unknown>,
): { tool: string; input: unknown } | undefined {
  const { type, code, language, metadata: _, ...unknown } = action;
  const namesTool = action["tool_name"] !== undefined || action["tool"] !== undefined;
  const isPlain = type === undefined && code !== undefined && rules.options.action === undefined;
  if (type !== "code" && !(isPlain && !namesTool)) return undefined;
  if (typeof code !== "string")
    throw new ActionFault({ type: "string_type", loc: ["code"], msg: "Input should be a valid string", input: code });
  refuseExtra(unknown);
  for (const tool of server.tools) {
    if (tool.composite) return { tool: tool.name, input: { code, ...(language !== undefined && { language }) } };
  }
  throw new ActionFault({
    type: "literal_error",
    loc: ["type"],
    msg: "This environment runs no code: it has no codeTool",
    input: type,
  });
}

/** The observation of a code action: the fields of OpenEnv's coding environment, and Biplane's own. */
export function codeAnswer(episode: Episode, call: LiveCall, outcome: Outcome): Payload {
  if (outcome.status === "done" && isRecord(outcome.value)) {
    const { stdout, stderr, error, ...rest } = outcome.value;
    const shown = isRecord(error) ? `${String(stderr)}${describe(error)}` : stderr;
    return payload({ stdout, stderr: shown, exit_code: error === null ? 0 : 1, error, ...rest }, episode, call.step);
  }
  const failed = openEnvError(outcome, "The code");
  const seen = { stdout: "", stderr: `${failed.message}\n`, exit_code: 1, error: toolError(failed), result: null };
  return payload({ ...seen, calls: [] }, episode, call.step ?? noStep(episode));
}

function describe({ name, message, trace }: Record<string, unknown>): string {
  return `${String(name)}: ${String(message)}\n${typeof trace === "string" ? `${trace}\n` : ""}`;
}
