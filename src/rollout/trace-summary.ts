import type { TraceBegin, TraceEvent } from "./trace.ts";

/** A trace in a few words: what lists, curves and counts are made of, and where in the run's log the whole of it is. */
export interface TraceSummary {
  readonly rollout: string;
  readonly index: number;
  readonly repetition: number;
  readonly rowId: string;
  readonly seed: string | null;
  readonly agent: string;
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly steps: number;
  readonly reward: number;
  /** Why it ended, with the kind of error behind a colon. */
  readonly reason: string;
  readonly message: string | null;
  readonly controlFailures: number;
  readonly tokens: number;
  readonly cost: number | null;
  /** Pairs: the number of a line, and how many follow each other from there. */
  readonly lines: readonly number[];
}

/** A summary as a list, which takes half the room. The order of its facts is part of what is on the disk. */
export type PackedSummary = readonly [
  rollout: string,
  index: number,
  repetition: number,
  rowId: string,
  seed: string | null,
  agent: string,
  model: string,
  startedAt: number,
  durationMs: number,
  steps: number,
  reward: number,
  reason: string,
  message: string | null,
  controlFailures: number,
  tokens: number,
  cost: number | null,
  lines: readonly number[],
];

export function packSummary(summary: TraceSummary): PackedSummary {
  const { rollout, index, repetition, rowId, seed, agent, model, startedAt, durationMs } = summary;
  const { steps, reward, reason, message, controlFailures, tokens, cost, lines } = summary;
  const begun = [rollout, index, repetition, rowId, seed, agent, model, startedAt, durationMs] as const;
  return [...begun, steps, reward, reason, message, controlFailures, tokens, cost, lines];
}

export function unpackSummary(packed: PackedSummary): TraceSummary {
  return {
    rollout: packed[0],
    index: packed[1],
    repetition: packed[2],
    rowId: packed[3],
    seed: packed[4],
    agent: packed[5],
    model: packed[6],
    startedAt: packed[7],
    durationMs: packed[8],
    steps: packed[9],
    reward: packed[10],
    reason: packed[11],
    message: packed[12],
    controlFailures: packed[13],
    tokens: packed[14],
    cost: packed[15],
    lines: packed[16],
  };
}

/** A rollout that is being played. */
export type OpenRollout = Pick<TraceSummary, "index" | "repetition" | "rowId" | "startedAt" | "steps" | "reward">;

/** Hears a run's events in the order of their lines, and says what each rollout came to when it is over. */
export class TraceSummarizer {
  readonly #open = new Map<string, OpenTrace>();
  readonly #jobs = new Map<string, string>();

  /** The first line of the oldest rollout that is not over. */
  get oldest(): number | undefined {
    const { value } = this.#open.values().next();
    return value?.lines[0];
  }

  hear(event: TraceEvent, sequence: number): TraceSummary | undefined {
    if (event.type === "begin") {
      this.#begin(event, sequence);
      return undefined;
    }
    const open = this.#open.get(event.rollout);
    if (!open) return undefined;
    addLine(open.lines, sequence);
    if (event.type === "step") {
      open.steps++;
      open.reward += finite(event.reward);
      open.tokens += finite(event.usage?.total_tokens);
      open.controlFailures += event.faults.length;
      return undefined;
    }
    this.#forget(event.rollout, open);
    const { ending, totalReward, usage, cost, durationMs, controlFailures } = event;
    return {
      ...open.facts,
      durationMs: Math.round(finite(durationMs) * 1000) / 1000,
      steps: open.steps,
      reward: finite(totalReward),
      reason: reasonWord(ending),
      message: ending.message === undefined ? null : cut(ending.message, longestMessage),
      controlFailures: finite(controlFailures),
      tokens: finite(usage?.total_tokens),
      cost: typeof cost === "number" ? finite(cost) : null,
      lines: open.lines,
    };
  }

  /** Those that are not over yet, the oldest first, as far as they have come. */
  open(): OpenRollout[] {
    return Array.from(this.#open.values(), ({ facts, steps, reward }) => {
      const { index, repetition, rowId, startedAt } = facts;
      return { index, repetition, rowId, startedAt, steps, reward };
    });
  }

  /** Those that will never be over, because nobody plays them any more. */
  interrupted(): TraceSummary[] {
    return Array.from(this.#open.values(), ({ facts, lines, steps, reward, tokens, controlFailures }) => ({
      ...facts,
      durationMs: 0,
      steps,
      reward,
      reason: cancelled,
      message: "The process ended before the rollout did",
      controlFailures,
      tokens,
      cost: null,
      lines,
    }));
  }

  /** A row that is begun anew counts only once, the last time. */
  #begin(begin: TraceBegin, sequence: number): void {
    const key = jobKey(begin);
    const before = this.#jobs.get(key);
    if (before !== undefined) this.#open.delete(before);
    this.#jobs.set(key, begin.rollout);
    const controlFailures = begin.faults.length;
    const nothing = { steps: 0, reward: 0, tokens: 0, controlFailures };
    this.#open.set(begin.rollout, { facts: factsOf(begin), lines: [sequence, 1], ...nothing });
  }

  #forget(rollout: string, { facts }: OpenTrace): void {
    this.#open.delete(rollout);
    this.#jobs.delete(jobKey(facts));
  }
}

/** An ending in the words by which endings are counted. */
export function reasonWord({ reason = "error", kind }: { reason?: string; kind?: string }): string {
  return kind === undefined ? reason : `${reason}: ${kind}`;
}

/** What has not been played to its end, and is played again by whoever resumes the run. */
export const cancelled = "error: cancelled";

/** Which row, for the how-manieth time, as one word. */
export function jobKey({ index, repetition }: { index: number; repetition: number }): string {
  return `${index}/${repetition}`;
}

interface OpenTrace {
  readonly facts: ReturnType<typeof factsOf>;
  readonly lines: number[];
  steps: number;
  reward: number;
  tokens: number;
  controlFailures: number;
}

function addLine(lines: number[], sequence: number): void {
  const [first = 0, count = 0] = lines.slice(-2);
  if (first + count === sequence) lines[lines.length - 1] = count + 1;
  else lines.push(sequence, 1);
}

/** Names come from rows and servers: a list is no place for those that fill a page. */
function factsOf({ rollout, index, repetition, rowId, seed, agent, model, startedAt }: TraceBegin) {
  return {
    rollout,
    index: finite(index),
    repetition: finite(repetition),
    rowId: cut(rowId, longestName),
    seed: seed === null ? null : cut(seed, longestName),
    agent: cut(agent, longestName),
    model: cut(model, longestName),
    startedAt: Date.parse(startedAt) || 0,
  };
}

const longestName = 200;
const longestMessage = 1000;

function cut(text: unknown, most: number): string {
  if (typeof text !== "string") return "";
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

function finite(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
