import type { CallState } from "./call-state.ts";
import type { Decision } from "./policy.ts";

/** One pipeline step: when it ended and which decisions it made. */
export interface TimelineStep {
  readonly step: string;
  /** Milliseconds from the start of the call to the end of this step. */
  readonly endedMs: number;
  readonly decisions?: readonly TimelineDecision[];
}

export interface TimelineDecision {
  /** Name of a policy, rule or person. */
  readonly by: string;
  readonly verdict: "allow" | "deny" | "ask" | "approved";
  readonly reason?: string;
  /** Name of the policy, if `by` is a rule of it. */
  readonly policy?: string;
}

/** The steps and decisions of one call. Stored for thousands of calls, so it is kept small. */
export class CallTimeline {
  readonly #steps: string[] = [];
  readonly #endedMs: number[] = [];
  /** Keyed by the index of the step that made them. */
  #decisions: Map<number, TimelineDecision[]> | undefined;

  /** Records the end of a step, successful or not. */
  endStep(step: string, { startedAt }: CallState): void {
    this.#steps.push(step);
    this.#endedMs.push(performance.now() - startedAt);
  }

  addDecision(policy: string, decision: Decision): void {
    const { verdict, rule: by = policy } = decision;
    const reason = verdict === "deny" ? decision.reason : verdict === "ask" ? decision.question : undefined;
    this.#add({ by, verdict, ...(reason !== undefined && { reason }), ...(by !== policy && { policy }) });
  }

  addApproval(by: string): void {
    this.#add({ by, verdict: "approved" });
  }

  /** Redacts the reasons, which may quote the input. */
  redact(clean: (reason: string) => string): void {
    for (const decisions of this.#decisions?.values() ?? [])
      for (const [at, decision] of decisions.entries())
        if (decision.reason !== undefined) decisions[at] = { ...decision, reason: clean(decision.reason) };
  }

  /** Every decision, in order. */
  decisions(): readonly TimelineDecision[] {
    return this.#decisions ? [...this.#decisions.values()].flat() : [];
  }

  steps(): TimelineStep[] {
    return this.#steps.map((step, at) => {
      const endedMs = this.#endedMs[at] as number;
      const decisions = this.#decisions?.get(at);
      return decisions ? { step, endedMs, decisions } : { step, endedMs };
    });
  }

  /** The current step is not in `#steps` yet, so its index is the length. */
  #add(decision: TimelineDecision): void {
    this.#decisions ??= new Map();
    const made = this.#decisions.get(this.#steps.length);
    if (made) made.push(decision);
    else this.#decisions.set(this.#steps.length, [decision]);
  }
}
