import { Environment } from "../environment/environment.ts";
import type { Episode } from "../environment/episode.ts";
import { BiplaneError } from "../errors.ts";
import { isForApps } from "../tool/app.ts";
import type { Principal } from "../tool/call.ts";
import type { Tool } from "../tool/tool.ts";
import { pageAgent } from "./call-agent.ts";
import type { CallLog, KeptCall } from "./call-log.ts";
import { mayPlay } from "./episode-routes.ts";
import { resultOfOutcome } from "./call-result.ts";
import type { CallWay, ShownResult, WayAnswer } from "./contract.ts";
import { serverOf } from "./served.ts";
import type { Served } from "./served.ts";
import { shownText } from "./ways/way.ts";
import type { WayOrder } from "./ways/way.ts";
import type { Wires } from "./ways/wires.ts";

/** A tool, its input, and the ways by which a person wants it called. */
export interface Wish {
  readonly served: Served;
  readonly tool: Tool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly ways: readonly CallWay[];
  readonly episode: Episode | undefined;
  readonly by: Principal;
  /** Empty for what is served at the root. */
  readonly base: string;
}

/**
 * Calls a tool once by each of the ways. In an episode several ways each get a fork of it, so that all start from the
 * same place; a single way is a step of the episode itself.
 */
export async function callByWays(wish: Wish, parts: { wires: Wires; log: CallLog }): Promise<WayAnswer[]> {
  mayBeCalled(wish);
  const { served, episode, ways } = wish;
  if (!(served instanceof Environment) || !episode || ways.length === 1) {
    const answers: WayAnswer[] = [];
    for (const way of ways) answers.push(await callBy(way, wish, parts));
    return answers;
  }
  const forks: Episode[] = [];
  try {
    for (const _ of ways) forks.push(await served.episodes.fork(episode));
    const answers: WayAnswer[] = [];
    for (const [at, way] of ways.entries()) answers.push(await callBy(way, { ...wish, episode: forks[at] }, parts));
    return answers;
  } finally {
    for (const fork of forks) await served.episodes.end(fork);
  }
}

function mayBeCalled({ served, tool, ways, episode }: Wish): void {
  const isEnvironment = served instanceof Environment;
  if (isEnvironment && !episode)
    throw new BiplaneError("INVALID_INPUT", `${served.name} is an environment: begin an episode and name it`);
  if (isEnvironment) mayPlay(served);
  if (!isEnvironment && ways.includes("step"))
    throw new BiplaneError("NOT_SUPPORTED", `${served.name} has no episodes, so nothing in it is a step`);
  if (ways.includes("code") && tool.composite)
    throw new BiplaneError("NOT_SUPPORTED", `${tool.name} runs code itself, and code cannot call it`);
  if (ways.includes("app") && !isForApps(tool))
    throw new BiplaneError("POLICY_DENIED", `${tool.name} is not for apps: its visibility leaves them out`);
  const isHarmless = tool.idempotent || tool.annotations.idempotentHint || tool.annotations.readOnlyHint;
  if (ways.length > 1 && !episode && !isHarmless)
    throw new BiplaneError(
      "INVALID_INPUT",
      `${tool.name} may change something each time, and there is no episode to fork: call it by one way at a time`,
    );
}

async function callBy(way: CallWay, wish: Wish, { wires, log }: { wires: Wires; log: CallLog }): Promise<WayAnswer> {
  const { served, tool, input, by, episode, base } = wish;
  const server = serverOf(served);
  const agent = pageAgent();
  const environment = served instanceof Environment ? served : undefined;
  const order: WayOrder = { served, server, environment, tool, input, agent, principal: by, episode, base };
  let seen: KeptCall | undefined;
  let result: ShownResult | null = null;
  const stop = log.onCall((call, outcome) => {
    if (call.agent.requestId !== agent.requestId) return;
    seen = call;
    result = resultOfOutcome(outcome);
  });
  const startedAt = performance.now();
  try {
    const { sent, received } = await wires.speak(way, order);
    const { redactor } = server;
    const { outcome, durationMs, id } = seen ?? notSeen(startedAt);
    return {
      way,
      sent: shownText(sent, redactor),
      received: shownText(received, redactor),
      outcome,
      result,
      durationMs: Math.round(durationMs * 1000) / 1000,
      call: id,
    };
  } finally {
    stop();
  }
}

/** What the wire itself refused never was a call. */
function notSeen(startedAt: number): Pick<WayAnswer, "outcome" | "durationMs"> & { id: null } {
  return { outcome: "INVALID_INPUT", durationMs: performance.now() - startedAt, id: null };
}
