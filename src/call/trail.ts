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

/** What happened to a call on its way. It is kept only where a meter wants it. */
export class Trail {
  readonly steps: TrailStep[] = [];
  #decisions: TrailDecision[] = [];
  #rule: string | undefined;

  /** A policy that has several rules says which of them decides. */
  readonly ruled = (rule: string): void => {
    this.#rule = rule;
  };

  /** A step is over, well or not. */
  passed(step: string, { startedAt }: Passage): void {
    const decisions = this.#decisions;
    this.#decisions = [];
    this.steps.push({
      step,
      endedMs: performance.now() - startedAt,
      ...(decisions.length > 0 && { decisions }),
    });
  }

  decided(policy: string, decision: Decision): void {
    const { verdict } = decision;
    const by = this.#rule ?? policy;
    this.#rule = undefined;
    const reason = verdict === "deny" ? decision.reason : verdict === "ask" ? decision.question : undefined;
    this.#decisions.push({ by, verdict, ...(reason !== undefined && { reason }) });
  }

  approved(by: string): void {
    this.#decisions.push({ by, verdict: "approved" });
  }
}
