import { randomUUID } from "node:crypto";
import type { Turn, Usage } from "./agent/agent.ts";
import type { Divergence } from "./divergence.ts";
import type { Beginning, Fault, Judgement } from "./door/door.ts";
import type { Ending } from "./ending.ts";
import type { Message } from "./message.ts";
import { addUsage, noUsage, withReason } from "./trace.ts";
import type { Trace, TraceBegin, TraceCall, TraceEvent, TraceStep } from "./trace.ts";

/** What a rollout is known by before it begins. */
export type RolloutFacts = Omit<TraceBegin, "rollout" | "startedAt" | "observation" | "source" | "tools" | "faults">;

/** A step as it was made. */
export interface MadeStep {
  readonly call: TraceCall | undefined;
  readonly observation: unknown;
  readonly judged: Judgement;
  readonly turn: Pick<Turn, "usage" | "cost" | "retries">;
  readonly timings: TraceStep["timings"];
}

/** Where a rollout writes down what happens: each thing is told to others as it is written, and the whole is its trace. */
export class Notebook {
  readonly messages: Message[] = [];
  readonly steps: TraceStep[] = [];
  readonly #onEvent: (event: TraceEvent) => void;
  readonly #rollout = randomUUID();
  readonly #startedAt = new Date().toISOString();
  #begin: TraceBegin | undefined;
  #usage: Usage = noUsage;
  #cost: number | undefined;
  #failures = 0;
  /** How many messages have been told. */
  #told = 0;

  constructor(onEvent: (event: TraceEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** Counts what a model cost. */
  count(usage: Usage | undefined, cost: number | undefined): void {
    this.#usage = addUsage(this.#usage, usage);
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
  }

  begin(facts: RolloutFacts, beginning: Beginning | undefined): void {
    const { observation = null, source = "none", tools = [], faults = [] } = beginning ?? {};
    const seed = beginning?.seed ?? facts.seed;
    const [rollout, startedAt] = [this.#rollout, this.#startedAt];
    this.#begin = { rollout, ...facts, seed, startedAt, observation, source, tools, faults };
    this.#failures += faults.length;
    this.#onEvent({ type: "begin", ...this.#begin, messages: this.#untold() });
  }

  step({ call, observation, judged, turn, timings }: MadeStep): void {
    const { info: _, ...judgement } = judged;
    const { usage, cost, retries } = turn;
    const step: TraceStep = {
      step: this.steps.length,
      messages: this.#untold(),
      call,
      observation,
      ...judgement,
      timings,
      ...(usage && { usage }),
      ...(cost !== undefined && { cost }),
      ...(retries !== undefined && { retries }),
    };
    this.#failures += judged.faults.length;
    this.steps.push(step);
    this.#onEvent({ type: "step", rollout: this.#rollout, ...step });
  }

  end(
    ending: Ending,
    rest: { durationMs: number; divergence: Divergence | undefined; faults: readonly Fault[] },
  ): Trace {
    const { durationMs, divergence, faults } = rest;
    const begin = this.#begin as TraceBegin;
    const result = {
      ending,
      totalReward: this.steps.reduce((sum, step) => sum + (step.reward ?? 0), 0),
      usage: this.#usage,
      cost: this.#cost,
      durationMs,
      controlFailures: this.#failures + faults.length,
      divergence,
    };
    const { rollout, index, repetition } = begin;
    this.#onEvent({ type: "end", rollout, index, repetition, messages: this.#untold(), ...result });
    return { ...begin, steps: this.steps, messages: withReason(this.messages, ending), ...result };
  }

  get hasBegun(): boolean {
    return this.#begin !== undefined;
  }

  #untold(): Message[] {
    const fresh = this.messages.slice(this.#told);
    this.#told = this.messages.length;
    return fresh;
  }
}
