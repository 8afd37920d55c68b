import { setImmediate as immediately } from "node:timers/promises";
import type { Outcome } from "../call/outcome.ts";
import type { Environment } from "../environment/environment.ts";
import type { Episode } from "../environment/episode.ts";
import { BiplaneError } from "../errors.ts";
import { setupOf } from "../rollout/row.ts";
import type { Trace, TraceStep } from "../rollout/trace.ts";
import { isReply } from "../tool/content.ts";
import type { Principal } from "../tool/call.ts";
import type { Comparison } from "./contract.ts";
import { performStep } from "./episode-step.ts";
import { sameObservation, sameReward } from "./replay-same.ts";
import { typedAction } from "./replay-target.ts";
import { readable } from "./trace-view.ts";

export interface ReplayOptions {
  /** How many of the trace's steps to play. */
  readonly steps: number;
  readonly by: Principal;
  /** How long all of it may take: a minute. */
  readonly longestMs?: number;
  readonly now?: () => number;
}

/** An episode that stands where a trace stood after so many steps. */
export interface Replay {
  readonly episode: Episode;
  readonly steps: number;
  readonly divergence: Comparison["divergence"];
}

/**
 * Plays a trace again, call by call, down the path of all calls, and compares what comes back. Where it first comes out
 * differently a new episode is played up to just before, since a step cannot be taken back.
 */
export async function replayTrace(environment: Environment, trace: Trace, options: ReplayOptions): Promise<Replay> {
  const { now = Date.now, longestMs = 60_000 } = options;
  const deadline = now() + longestMs;
  let divergence: Comparison["divergence"] = null;
  for (let steps = options.steps, attempt = 1; ; attempt++) {
    const episode = await environment.start(startOf(trace));
    const player = { environment, episode, by: options.by, mustEnd: () => now() > deadline };
    const found = await play(player, trace, steps).catch(async (error: unknown) => {
      await environment.episodes.end(episode);
      throw error;
    });
    divergence = found ?? divergence;
    // Before the first step there is nothing to go back to; and one that differs each time is left where it stands.
    if (!found || found.step < 0 || attempt === mostAttempts)
      return { episode, steps: found ? Math.max(0, Math.min(found.step + 1, steps)) : steps, divergence };
    await environment.episodes.end(episode);
    steps = found.step;
  }
}

const mostAttempts = 5;

interface Player {
  readonly environment: Environment;
  readonly episode: Episode;
  readonly by: Principal;
  mustEnd(): boolean;
}

function startOf({ row, index, seed }: Trace): { seed: number | bigint; config: unknown; label: string } {
  const { seed: _, ...config } = setupOf(row, index).context;
  const number = BigInt(seed ?? 0);
  return {
    seed: number <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(number) : number,
    config,
    label: "replay",
  };
}

async function play(player: Player, trace: Trace, steps: number): Promise<Comparison["divergence"]> {
  const { firstObservation } = player.episode;
  if (trace.source !== "default" && !sameObservation(trace.observation, firstObservation))
    return divergenceAt(-1, "observation", [trace.observation, firstObservation]);
  let since = performance.now();
  for (const [at, step] of trace.steps.slice(0, steps).entries()) {
    // Steps that wait for nothing would keep everyone else waiting until the last of them.
    if (performance.now() - since > longestTurnMs) {
      await immediately();
      since = performance.now();
    }
    if (player.mustEnd()) throw new BiplaneError("CAPACITY", "Replaying the trace takes too long; replay fewer steps");
    const found = await playOne(player, step, at);
    if (found) return found;
  }
  return null;
}

const longestTurnMs = 10;

/** What never reached the environment then does not now: words, and calls that were no JSON. */
async function playOne(player: Player, recorded: TraceStep, step: number): Promise<Comparison["divergence"]> {
  const { call: wanted } = recorded;
  if (!wanted || typeof wanted.input === "string") return null;
  const { environment, episode, by } = player;
  const { action } = environment.rules.options;
  const isTyped = wanted.name === typedAction && action !== undefined && !environment.server.find(typedAction);
  const wish = { tool: isTyped ? action : wanted.name, input: wanted.input, by };
  const { call, outcome } = await performStep({ environment, episode }, wish);
  const { isFailed, observation } = cameTo(outcome);
  const seen = isTyped && !isFailed ? await environment.rules.observe(episode.state, episode.standing) : observation;
  // What a failure says differs from wire to wire.
  const isSame = isFailed ? wanted.isError : sameObservation(recorded.observation, seen);
  if (!isSame) return divergenceAt(step, "observation", [recorded.observation, seen]);
  const reward = call.step ? call.step.reward : 0;
  if (!sameReward(recorded, reward)) return divergenceAt(step, "reward", [recorded.reward, reward]);
  const wasOver = recorded.terminated || recorded.truncated;
  const isHeard = call.step !== undefined && !recorded.faults.some(({ what }) => what === "status");
  return !isHeard || wasOver === episode.isOver ? null : divergenceAt(step, "ending", [wasOver, episode.isOver]);
}

function cameTo(outcome: Outcome): { isFailed: boolean; observation: unknown } {
  if (outcome.status === "suspended")
    return { isFailed: true, observation: { error: "NOT_SUPPORTED", message: "it asks questions" } };
  if (outcome.status === "failed") {
    const { code, message } = outcome.error;
    return { isFailed: true, observation: { error: code, message } };
  }
  const { value, content } = outcome;
  if (!isReply(value)) return { isFailed: false, observation: value ?? null };
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { isFailed: false, observation: value.structured ?? text };
}

function divergenceAt(step: number, what: string, pair: readonly [unknown, unknown]): Comparison["divergence"] {
  return { step, what, left: readable(pair[0]) ?? null, right: readable(pair[1]) ?? null };
}
