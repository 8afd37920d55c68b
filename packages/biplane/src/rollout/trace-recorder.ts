import { randomUUID } from "node:crypto";
import type { Failure } from "@biplane/core";
import type { Turn, Usage } from "./agent/agent.ts";
import type { Divergence } from "./divergence.ts";
import type { ControlPlaneFault, StepStatus } from "@biplane/core/client";
import type { EpisodeStart } from "./begin.ts";
import type { Ending } from "./ending.ts";
import type { ChatMessage } from "./message.ts";
import { addUsage, noUsage, withReason } from "./trace.ts";
import type { Trace, TraceAttempt, TraceBegin, TraceCall, TraceEvent, TraceStep } from "./trace.ts";

/** What is known about a rollout before it starts. */
export type RolloutFacts = Omit<TraceBegin, "rollout" | "startedAt" | "observation" | "source" | "tools" | "faults">;

/** A completed step. */
export interface RecordedStep {
  readonly call: TraceCall | undefined;
  readonly observation: unknown;
  readonly outcome: StepStatus;
  readonly turn: Pick<Turn, "usage" | "cost" | "retries">;
  readonly timings: TraceStep["timings"];
  readonly failure?: Failure | undefined;
}

/** What is known when a rollout has ended. */
export interface RolloutRest {
  readonly durationMs: number;
  readonly divergence: Divergence | undefined;
  readonly faults: readonly ControlPlaneFault[];
  readonly failure: Failure | undefined;
}

/** Records a rollout: emits an event for each step and returns the complete trace at the end. */
export class TraceRecorder {
  messages: ChatMessage[] = [];
  steps: TraceStep[] = [];
  readonly #onEvent: (event: TraceEvent) => void;
  readonly #rollout = randomUUID();
  #startedAt = new Date().toISOString();
  #begin: TraceBegin | undefined;
  #usage: Usage = noUsage;
  #cost: number | undefined;
  #failures = 0;
  readonly #attempts: TraceAttempt[] = [];
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

  /** Starts again after an attempt that failed. What the model cost remains. */
  restart(failure: Failure): void {
    const attempt = { failure, startedAt: this.#startedAt, steps: this.steps.length };
    this.#attempts.push(attempt);
    this.#onEvent({ type: "retry", rollout: this.#rollout, ...attempt });
    this.#begin = undefined;
    this.#startedAt = new Date().toISOString();
    this.messages = [];
    this.steps = [];
    this.#emitted = 0;
    this.#failures = 0;
  }

  step({ call, observation, outcome, turn, timings, failure }: RecordedStep): void {
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
      ...(failure && { failure }),
    };
    this.#failures += faults.length;
    this.steps.push(step);
    this.#onEvent({ type: "step", rollout: this.#rollout, ...step });
  }

  end(ending: Ending, { durationMs, divergence, faults, failure }: RolloutRest): Trace {
    const begin = this.#begin as TraceBegin;
    const result = {
      ending,
      ...(failure && { failure }),
      totalReward: failure?.masked ? null : this.steps.reduce((sum, step) => sum + (step.reward ?? 0), 0),
      ...(this.#attempts.length > 0 && { attempts: this.#attempts }),
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
