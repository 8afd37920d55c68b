import { LiveCall } from "../../call/live-call.ts";
import type { Outcome } from "../../call/outcome.ts";
import { stepKeyOf } from "../../call/stored-answer.ts";
import { chain } from "../../chain.ts";
import type { Environment } from "../../environment/environment.ts";
import { Episode } from "../../environment/episode.ts";
import { BiplaneError } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import { agentContext } from "../agent.ts";
import { retryMarksOfAction } from "../retry-key.ts";
import { ActionFault } from "./action-fault.ts";
import { codeAnswer, readCodeAction } from "./code-action.ts";
import { asksForTools, toolListing } from "./tool-listing.ts";
import { noStep, openEnvError, openEnvToolResult, payload, toolError } from "./payload.ts";
import type { Payload } from "./payload.ts";
import { readToolAction } from "./tool-action.ts";
import { isRecord } from "../../is-record.ts";

export interface OpenEnvStepOptions {
  readonly environment: Environment;
  readonly principal: Principal;
  /** Receives the call, so that it can be cancelled when the trainer disconnects. */
  readonly onCall?: (call: LiveCall) => void;
  /** The key in the headers, which is the same for each try of a step. */
  readonly retryKey?: string | undefined;
  /** How long the trainer waits. */
  readonly timeoutMs?: number | undefined;
}

/** Performs one step: calls the action's tool and returns observation, reward and done. */
export function stepEpisode(
  episode: Episode,
  action: unknown,
  options: OpenEnvStepOptions,
): Payload | Promise<Payload> {
  const { environment, principal, onCall, timeoutMs } = options;
  if (!isRecord(action))
    throw new ActionFault({ type: "dict_type", loc: [], msg: "Input should be a valid dictionary", input: action });
  if (asksForTools(action)) return toolListing(environment, episode);
  const code = readCodeAction(environment, action);
  const named = code ?? readToolAction(environment, action);
  const { tool, input } = named ?? { tool: environment.rules.options.action ?? "", input: withoutMetadata(action) };
  const call = new LiveCall({
    tool,
    input,
    route: "step",
    agent: agentContext(action["metadata"], "trainer"),
    principal,
    scope: () => environment.episodes.latest(episode),
    patienceMs: trainerPatienceMs,
    ...retryMarksOfAction(action["metadata"], options.retryKey),
  });
  onCall?.(call);
  const outcome = environment.server.perform(call);
  const answer = (late: Outcome) => {
    // The trainer sends a step with a key again, so it is no answer that the server was not ready.
    if (late.status === "failed" && late.error.code === "CAPACITY" && stepKeyOf(call) !== undefined) throw late.error;
    const played = call.scope instanceof Episode ? call.scope : episode;
    if (code) return codeAnswer(played, call, late);
    return named ? toolAnswer(played, call, late) : typedAnswer(played, call, late);
  };
  return outcome instanceof Promise ? wait(outcome, call, timeoutMs).then(answer) : answer(outcome);
}

/** Trainers time out a step after 60 s. */
const trainerPatienceMs = 50_000;

/** Stops the call when the trainer stops waiting. */
async function wait(outcome: Promise<Outcome>, call: LiveCall, timeoutMs: number | undefined): Promise<Outcome> {
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
    return payload({ tool_name: tool, result: openEnvToolResult(outcome), error: null }, episode, call.step);
  const error = toolError(openEnvError(outcome, tool));
  return payload({ tool_name: tool, result: null, error }, episode, noStep(episode));
}

/** A typed action returns the observation; a failure becomes an error frame. */
function typedAnswer(episode: Episode, call: LiveCall, outcome: Outcome): Payload | Promise<Payload> {
  if (outcome.status !== "done") throw typedFault(call, openEnvError(outcome, call.tool));
  return chain(episode.look(), (seen) => payload(seen, episode, call.step));
}

function typedFault(call: LiveCall, error: BiplaneError): Error {
  if (error.code !== "INVALID_INPUT") return error;
  const path = error.details?.["path"];
  const loc = typeof path === "string" ? path.split("/").filter(Boolean) : [];
  return new ActionFault({ type: "value_error", loc, msg: error.message, input: call.request.input });
}

/** Every OpenEnv action may carry metadata, which is not part of the tool's input. */
function withoutMetadata(action: Record<string, unknown>): unknown {
  const { metadata: _, ...input } = action;
  return input;
}

function late(tool: string, timeoutMs: number): BiplaneError {
  return new BiplaneError("TIMEOUT", `Tool '${tool}' timed out after ${timeoutMs / 1000} seconds`);
}
