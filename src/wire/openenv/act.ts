import { LiveCall } from "../../call/live-call.ts";
import { isForModel } from "../../tool/app.ts";
import type { Outcome } from "../../call/outcome.ts";
import { chain } from "../../environment/chain.ts";
import type { Environment } from "../../environment/environment.ts";
import type { Episode } from "../../environment/episode.ts";
import { BiplaneError } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import { agentContext } from "../agent.ts";
import { ActionFault } from "./action-fault.ts";
import { codeAnswer, readCodeAction } from "./code-action.ts";
import { isRecord, payload, toolError, toolResult } from "./payload.ts";
import type { Payload } from "./payload.ts";

export interface Actor {
  readonly principal: Principal;
  readonly session?: string;
  /** Told of the call, so that it can be cancelled when the trainer leaves. */
  readonly onCall?: (call: LiveCall) => void;
  /** How long the trainer waits. */
  readonly timeoutMs?: number | undefined;
}

/** One Gym step: the action becomes a call like any other, and the answer carries what the control plane knows of it. */
export function act(
  environment: Environment,
  episode: Episode,
  action: unknown,
  actor: Actor,
): Payload | Promise<Payload> {
  if (!isRecord(action)) throw new ActionFault("dict_type", [], "Input should be a valid dictionary", action);
  if (action["type"] === "list_tools") return listTools(environment, episode);
  const typed = environment.rules.options.action;
  const code = readCodeAction(environment, action);
  const isTyped = typed !== undefined && !code && !isToolCall(action);
  const { tool, input } = code ?? (isTyped ? { tool: typed, input: withoutMetadata(action) } : readToolCall(action));
  const call = new LiveCall({
    tool,
    input,
    route: "step",
    agent: agentContext(action["metadata"], "trainer"),
    principal: actor.principal,
    session: actor.session,
    scope: episode.asScope,
    patienceMs: trainerPatienceMs,
  });
  actor.onCall?.(call);
  const outcome = environment.server.perform(call);
  const answer = (late: Outcome) => {
    if (code) return codeAnswer(episode, call, late);
    return isTyped ? typedAnswer(environment, episode, call, late) : toolAnswer(episode, call, late);
  };
  return outcome instanceof Promise ? wait(outcome, call, actor).then(answer) : answer(outcome);
}

/** Trainers give up on a step after a minute. */
const trainerPatienceMs = 50_000;

/** Waits for a call no longer than the trainer does. */
async function wait(outcome: Promise<Outcome>, call: LiveCall, { timeoutMs }: Actor): Promise<Outcome> {
  if (timeoutMs === undefined) return outcome;
  const timer = setTimeout(() => call.stop(late(call.tool, timeoutMs)), timeoutMs);
  try {
    return await outcome;
  } finally {
    clearTimeout(timer);
  }
}

function toolAnswer(episode: Episode, call: LiveCall, outcome: Outcome): Payload {
  const { tool } = call;
  if (outcome.status === "done")
    return payload({ tool_name: tool, result: toolResult(outcome), error: null }, episode, call.step);
  const error =
    outcome.status === "failed" ? outcome.error : new BiplaneError("NOT_SUPPORTED", `${tool} asks questions`);
  const { terminated, truncated, stepCount } = episode;
  const nothing = { reward: null, parts: undefined, terminated, truncated, stepCount };
  return payload({ tool_name: tool, result: null, error: toolError(error) }, episode, nothing);
}

/** A typed action is answered with what there is to see; what fails is an error frame. */
function typedAnswer(
  environment: Environment,
  episode: Episode,
  call: LiveCall,
  outcome: Outcome,
): Payload | Promise<Payload> {
  if (outcome.status === "suspended") throw new BiplaneError("NOT_SUPPORTED", `${call.tool} asks questions`);
  if (outcome.status === "failed") throw typedFault(call, outcome.error);
  return chain(environment.rules.observe(episode.state, episode.standing), (seen) => payload(seen, episode, call.step));
}

function typedFault(call: LiveCall, error: BiplaneError): Error {
  if (error.code !== "INVALID_INPUT") return error;
  const path = error.details?.["path"];
  const loc = typeof path === "string" ? path.split("/").filter(Boolean) : [];
  return new ActionFault("value_error", loc, error.message, call.request.input);
}

function listTools(environment: Environment, episode: Episode): Payload {
  const tools = Array.from(environment.server.tools)
    .filter(isForModel)
    .map(({ name, description, input }) => ({
      name,
      description: description ?? "",
      input_schema: input.json,
    }));
  const { terminated, truncated, stepCount } = episode;
  return payload({ tools }, episode, { reward: null, parts: undefined, terminated, truncated, stepCount });
}

function isToolCall(action: Record<string, unknown>): boolean {
  return action["type"] === "call_tool" || (typeof action["tool_name"] === "string" && action["type"] === undefined);
}

function readToolCall(action: Record<string, unknown>): { tool: string; input: unknown } {
  const { type = "call_tool", tool_name: tool, arguments: given, parameters, metadata: _, ...unknown } = action;
  if (type !== "call_tool")
    throw new ActionFault("literal_error", ["type"], "Input should be 'call_tool' or 'list_tools'", type);
  if (typeof tool !== "string") throw new ActionFault("missing", ["tool_name"], "Field required", action);
  const [extra] = Object.keys(unknown);
  if (extra !== undefined)
    throw new ActionFault("extra_forbidden", [extra], "Extra inputs are not permitted", unknown[extra]);
  return { tool, input: given ?? parameters ?? {} };
}

/** Every action of OpenEnv may carry metadata; no tool wants it. */
function withoutMetadata(action: Record<string, unknown>): unknown {
  const { metadata: _, ...input } = action;
  return input;
}

function late(tool: string, timeoutMs: number): BiplaneError {
  return new BiplaneError("TIMEOUT", `Tool '${tool}' timed out after ${timeoutMs / 1000} seconds`);
}
