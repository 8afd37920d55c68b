import { Environment, isForApps, serverOf } from "@biplane/core/internal";
import type { Episode, Principal, Tool, Served } from "@biplane/core";
import { BiplaneError } from "@biplane/core";
import { pageAgent } from "../calls/call-agent.ts";
import type { CallLog, LoggedCall } from "../calls/call-log.ts";
import { requireSimulation } from "../episodes/episode-routes.ts";
import { resultOfOutcome } from "../calls/call-result.ts";
import type { CallVia } from "./call-vias.ts";
import type { ResultBody, CallViaResult } from "../calls/call-api.ts";
import { shownText } from "./via.ts";
import type { ViaRequest } from "./via.ts";
import type { ViaTransports } from "./transports.ts";

/** A tool, its input, and how to call it. */
export interface CallViaRequest {
  readonly served: Served;
  readonly tool: Tool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly via: readonly CallVia[];
  readonly episode: Episode | undefined;
  readonly by: Principal;
  /** Empty for the server at the root. */
  readonly base: string;
}

/**
 * Calls a tool once for each `via`. In an episode, several calls each use a fork, so that all start from the same
 * state. A single call is a step of the episode itself.
 */
export async function callVia(
  request: CallViaRequest,
  parts: { transports: ViaTransports; log: CallLog },
): Promise<CallViaResult[]> {
  checkCallable(request);
  const { served, episode, via } = request;
  if (!(served instanceof Environment) || !episode || via.length === 1) {
    const results: CallViaResult[] = [];
    for (const name of via) results.push(await callOne(name, request, parts));
    return results;
  }
  const forks: Episode[] = [];
  try {
    for (const _ of via) forks.push(await served.episodes.fork(episode));
    const results: CallViaResult[] = [];
    for (const [at, name] of via.entries())
      results.push(await callOne(name, { ...request, episode: forks[at] }, parts));
    return results;
  } finally {
    for (const fork of forks) await served.episodes.end(fork);
  }
}

function checkCallable({ served, tool, via, episode }: CallViaRequest): void {
  const isEnvironment = served instanceof Environment;
  if (isEnvironment && !episode)
    throw new BiplaneError("INVALID_INPUT", `${served.name} is an environment. Start an episode and pass its id.`);
  if (isEnvironment) requireSimulation(served);
  if (!isEnvironment && via.includes("step"))
    throw new BiplaneError("NOT_SUPPORTED", `${served.name} has no episodes, so the tool cannot be called as a step.`);
  if (via.includes("code") && tool.composite)
    throw new BiplaneError("NOT_SUPPORTED", `${tool.name} runs code itself, so code cannot call it.`);
  if (via.includes("app") && !isForApps(tool))
    throw new BiplaneError("FORBIDDEN", `${tool.name} is not visible to apps.`);
  const isHarmless = tool.idempotent || tool.annotations.idempotentHint || tool.annotations.readOnlyHint;
  if (via.length > 1 && !episode && !isHarmless)
    throw new BiplaneError(
      "INVALID_INPUT",
      `${tool.name} may have side effects, and there is no episode to fork. Choose one transport at a time.`,
    );
}

async function callOne(
  name: CallVia,
  request: CallViaRequest,
  { transports, log }: { transports: ViaTransports; log: CallLog },
): Promise<CallViaResult> {
  const { served, tool, input, by, episode, base } = request;
  const server = serverOf(served);
  const agent = pageAgent();
  const environment = served instanceof Environment ? served : undefined;
  const call: ViaRequest = { served, server, environment, tool, input, agent, principal: by, episode, base };
  let seen: LoggedCall | undefined;
  let result: ResultBody | null = null;
  const stop = log.onCall((call, outcome) => {
    if (call.agent.requestId !== agent.requestId) return;
    seen = call;
    result = resultOfOutcome(outcome);
  });
  const startedAt = performance.now();
  try {
    const { sent, received } = await transports.call(name, call);
    const { redactor } = server;
    const { outcome, durationMs, waitedMs, id } = seen ?? notSeen(startedAt);
    return {
      via: name,
      sent: shownText(sent, redactor),
      received: shownText(received, redactor),
      outcome,
      result,
      durationMs: Math.round((durationMs - waitedMs) * 1000) / 1000,
      call: id,
    };
  } finally {
    stop();
  }
}

/** The transport rejected the request, so there was no call. */
function notSeen(startedAt: number): Pick<LoggedCall, "outcome" | "durationMs" | "waitedMs"> & { id: null } {
  return { outcome: "INVALID_INPUT", durationMs: performance.now() - startedAt, waitedMs: 0, id: null };
}
