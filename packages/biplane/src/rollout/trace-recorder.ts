import { randomUUID } from "node:crypto";
import type { Turn, Usage } from "./agent/agent.ts";
import type { Divergence } from "./divergence.ts";
import type { ControlPlaneFault, StepStatus } from "@biplane/core/client";
import type { EpisodeStart } from "./begin.ts";
import type { Ending } from "./ending.ts";
import type { ChatMessage } from "./message.ts";
import { addUsage, noUsage, withReason } from "./trace.ts";
import type { Trace, TraceBegin, TraceCall, TraceEvent, TraceStep } from "./trace.ts";

/** What is known about a rollout before it starts. */
export type RolloutFacts = Omit<TraceBegin, "rollout" | "startedAt" | "observation" | "source" | "tools" | "faults">;

/** A completed step. */
export interface RecordedStep {
  readonly call: TraceCall | undefined;
  readonly observation: unknown;
  readonly outcome: StepStatus;
  readonly turn: Pick<Turn, "usage" | "cost" | "retries">;
  readonly timings: TraceStep["timings"];
}

/** Records a rollout: emits an event for each step and returns the complete trace at the end. */
export class TraceRecorder {
  readonly messages: ChatMessage[] = [];
  readonly steps: TraceStep[] = [];
  readonly #onEvent: (event: TraceEvent) => void;
  readonly #rollout = randomUUID();
  readonly #startedAt = new Date().toISOString();
  #begin: TraceBegin | undefined;
  #usage: Usage = noUsage;
  #cost: number | undefined;
  #failures = 0;
  /** How many messages have been emitted. */
  #emitted = 0;

  constructor(onEvent: (event: TraceEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** Adds a model's usage and cost. */
  addUsage(usage: Usage | undefined, cost: number | undefined): void {
    this.#usage = addUsage(this.#usage, usage);
    if (cost !== undefined) this.#cost = (this.#cost ?? 0) + cost;
  }

  begin(facts: RolloutFacts, start: EpisodeStart | undefined): void {
    const { observation = null, source = "none", tools = [], faults = [] } = start ?? {};
    const seed = start?.seed ?? facts.seed;
    const [rollout, startedAt] = [this.#rollout, this.#startedAt];
    this.#begin = { rollout, ...facts, seed, startedAt, observation, source, tools, faults };
    this.#failures += faults.length;
    this.#onEvent({ type: "begin", ...this.#begin, messages: this.#newMessages() });
  }

  step({ call, observation, outcome, turn, timings }: RecordedStep): void {
    const { reward, parts, terminated, truncated, stepCount, faults } = outcome;
    const { usage, cost, retries } = turn;
    const step: TraceStep = {
      step: this.steps.length,
      messages: this.#newMessages(),
      call,
      observation,
      reward,
      parts,
      terminated,
      truncated,
      stepCount,
      faults,
      timings,
      ...(usage && { usage }),
      ...(cost !== undefined && { cost }),
      ...(retries !== undefined && { retries }),
    };
    this.#failures += faults.length;
    this.steps.push(step);
    this.#onEvent({ type: "step", rollout: this.#rollout, ...step });
  }

  end(
    ending: Ending,
    rest: { durationMs: number; divergence: Divergence | undefined; faults: readonly ControlPlaneFault[] },
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
    this.#onEvent({ type: "end", rollout, index, repetition, messages: this.#newMessages(), ...result });
    return { ...begin, steps: this.steps, messages: withReason(this.messages, ending), ...result };
  }

  get hasBegun(): boolean {
    return this.#begin !== undefined;
  }

  #newMessages(): ChatMessage[] {
    const fresh = this.messages.slice(this.#emitted);
    this.#emitted = this.messages.length;
    return fresh;
  }
}
