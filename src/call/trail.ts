import type { Passage } from "./passage.ts";
import type { Decision } from "./policy.ts";

/** One step of the path of a call: when it was over, and who decided what there. */
export interface TrailStep {
  readonly step: string;
  /** From the beginning of the call to the end of this step. */
  readonly endedMs: number;
  readonly decisions?: readonly TrailDecision[];
}

export interface TrailDecision {
  /** A policy's or a rule's name, or a person's. */
  readonly by: string;
  readonly verdict: "allow" | "deny" | "ask" | "approved";
  readonly reason?: string;
}

/** What happened to a call on its way. It is kept only where a meter wants it, and then for many calls: so it is small. */
export class Trail {
  readonly #steps: string[] = [];
  readonly #endedMs: number[] = [];
  /** By the place of the step they were made in. */
  #decisions: Map<number, TrailDecision[]> | undefined;
  #rule: string | undefined;

  /** A policy that has several rules says which of them decides. */
  ruled(rule: string): void {
    this.#rule = rule;
  }

  /** A step is over, well or not. */
  passed(step: string, { startedAt }: Passage): void {
    this.#steps.push(step);
    this.#endedMs.push(performance.now() - startedAt);
  }

  decided(policy: string, decision: Decision): void {
    const { verdict } = decision;
    const by = this.#rule ?? policy;
    this.#rule = undefined;
    const reason = verdict === "deny" ? decision.reason : verdict === "ask" ? decision.question : undefined;
    this.#add(reason === undefined ? { by, verdict } : { by, verdict, reason });
  }

  approved(by: string): void {
    this.#add({ by, verdict: "approved" });
  }

  /** Reasons may quote what the caller sent: puts what `clean` makes of them in their place. */
  redact(clean: (reason: string) => string): void {
    for (const decisions of this.#decisions?.values() ?? [])
      for (const [at, decision] of decisions.entries())
        if (decision.reason !== undefined) decisions[at] = { ...decision, reason: clean(decision.reason) };
  }

  steps(): TrailStep[] {
    return this.#steps.map((step, at) => {
      const endedMs = this.#endedMs[at] as number;
      const decisions = this.#decisions?.get(at);
      return decisions ? { step, endedMs, decisions } : { step, endedMs };
    });
  }

  /** Made in the step that is not over yet. */
  #add(decision: TrailDecision): void {
    this.#decisions ??= new Map();
    const made = this.#decisions.get(this.#steps.length);
    if (made) made.push(decision);
    else this.#decisions.set(this.#steps.length, [decision]);
  }
}
