import { setImmediate as immediately } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Outcome } from "@biplane/core/internal";
import type { Environment, Episode, Principal } from "@biplane/core";
import { BiplaneError } from "@biplane/core";
import { setupOf } from "../../rollout/row.ts";
import type { Trace, TraceStep } from "../../rollout/trace.ts";
import { isReply, typedAction } from "@biplane/core/internal";
import type { TraceDivergence } from "./trace-api.ts";
import { performStep } from "../episodes/episode-step.ts";
import { boundedValue } from "./trace-view.ts";

export interface ReplayTraceOptions {
  /** Number of steps to replay. */
  readonly steps: number;
  readonly by: Principal;
  /** Time limit for the replay (default: 60,000). */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

/** An episode in the state of a trace after a number of steps. */
export interface ReplayedEpisode {
  readonly episode: Episode;
  readonly steps: number;
  readonly divergence: TraceDivergence;
}

/**
 * Replays a trace through the normal call path and compares the results. At the first difference it replays a new
 * episode up to the step before, since a step cannot be undone.
 */
export async function replayTrace(
  environment: Environment,
  trace: Trace,
  options: ReplayTraceOptions,
): Promise<ReplayedEpisode> {
  const { now = Date.now, timeoutMs = 60_000 } = options;
  const deadline = now() + timeoutMs;
  let divergence: TraceDivergence = null;
  for (let steps = options.steps, attempt = 1; ; attempt++) {
    const episode = await environment.start(startOf(trace));
    const player = { environment, episode, by: options.by, isLate: () => now() > deadline };
    const found = await play(player, trace, steps).catch(async (error: unknown) => {
      await environment.episodes.end(episode);
      throw error;
    });
    divergence = found ?? divergence;
    // If the first observation differs, or after `maxAttempts`, keep the episode as it is.
    if (!found || found.step < 0 || attempt === maxAttempts)
      return { episode, steps: found ? Math.max(0, Math.min(found.step + 1, steps)) : steps, divergence };
    await environment.episodes.end(episode);
    steps = found.step;
  }
}

const maxAttempts = 5;

interface Player {
  readonly environment: Environment;
  readonly episode: Episode;
  readonly by: Principal;
  isLate(): boolean;
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

async function play(player: Player, trace: Trace, steps: number): Promise<TraceDivergence> {
  const { firstObservation } = player.episode;
  if (trace.source !== "default" && !sameObservation(trace.observation, firstObservation))
    return divergenceAt(-1, "observation", [trace.observation, firstObservation]);
  let since = performance.now();
  for (const [at, step] of trace.steps.slice(0, steps).entries()) {
    // Yield to the event loop: synchronous steps would block it until the last one.
    if (performance.now() - since > maxBlockMs) {
      await immediately();
      since = performance.now();
    }
    if (player.isLate()) throw new BiplaneError("CAPACITY", "Replaying the trace takes too long. Replay fewer steps.");
    const found = await playOne(player, step, at);
    if (found) return found;
  }
  return null;
}

const maxBlockMs = 10;

/** Skips steps without a valid call, which never reached the environment. */
async function playOne(player: Player, recorded: TraceStep, step: number): Promise<TraceDivergence> {
  const { call: wanted } = recorded;
  if (!wanted || typeof wanted.input === "string") return null;
  const { environment, episode, by } = player;
  const { action } = environment.rules.options;
  const isTyped = wanted.tool === typedAction && action !== undefined && !environment.server.find(typedAction);
  const request = { tool: isTyped ? action : wanted.tool, input: wanted.input, by };
  const { call, outcome } = await performStep({ environment, episode }, request);
  const { isFailed, observation } = outcomeOf(outcome);
  const seen = isTyped && !isFailed ? await environment.rules.observe(episode.state, episode.context) : observation;
  // Error messages differ between transports.
  const isSame = isFailed ? wanted.isError : sameObservation(recorded.observation, seen);
  if (!isSame) return divergenceAt(step, "observation", [recorded.observation, seen]);
  const reward = call.step ? call.step.reward : 0;
  if (!sameReward(recorded, reward)) return divergenceAt(step, "reward", [recorded.reward, reward]);
  const hadEnded = recorded.terminated || recorded.truncated;
  const isComparable = call.step !== undefined && !recorded.faults.some(({ what }) => what === "status");
  return !isComparable || hadEnded === episode.isOver ? null : divergenceAt(step, "ending", [hadEnded, episode.isOver]);
}

function outcomeOf(outcome: Outcome): { isFailed: boolean; observation: unknown } {
  if (outcome.status === "suspended")
    return { isFailed: true, observation: { error: "NOT_SUPPORTED", message: "The tool asks questions." } };
  if (outcome.status === "failed") {
    const { code, message } = outcome.error;
    return { isFailed: true, observation: { error: code, message } };
  }
  const { value, content } = outcome;
  if (!isReply(value)) return { isFailed: false, observation: value ?? null };
  const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { isFailed: false, observation: value.structured ?? text };
}

function divergenceAt(step: number, what: string, pair: readonly [unknown, unknown]): TraceDivergence {
  return { step, what, left: boundedValue(pair[0]) ?? null, right: boundedValue(pair[1]) ?? null };
}

/** True if the observations match, ignoring how some transports wrap values that are not objects. */
function sameObservation(recorded: unknown, actual: unknown): boolean {
  const [one, other] = [plain(recorded), plain(actual)];
  if (isDeepStrictEqual(one, other)) return true;
  if (typeof one !== "object" || one === null || !("observation" in one)) return false;
  const keys = Object.keys(one).filter((key) => key !== "observation");
  const isWrapped = keys.every((key) => key === "session_id" || key === "error");
  return isWrapped && isDeepStrictEqual(plain(one.observation), other);
}

/**
 * True if the rewards match. Some transports report 0 for no reward. A reward that could not be read is not compared.
 */
function sameReward({ reward, faults }: TraceStep, actual: number | null): boolean {
  return (reward ?? 0) === (actual ?? 0) || reward === null || faults.some(({ what }) => what === "reward");
}

/** Normalizes to plain JSON. Text that is JSON is parsed. */
function plain(value: unknown): unknown {
  try {
    return JSON.parse(typeof value === "string" ? value : (JSON.stringify(value) ?? "null")) as unknown;
  } catch {
    return value;
  }
}
