import { createHash } from "node:crypto";
import type { ApprovalRequest, Approver } from "../../call/approve.ts";
import { BiplaneError } from "../../errors.ts";

export interface SimulatedOptions {
  readonly seed: number;
  /** How likely a yes is: 1 for always. */
  readonly approve?: number;
  /** Decides by itself where it can; undefined leaves it to chance. */
  readonly decide?: (request: ApprovalRequest) => boolean | undefined;
  /** Answers calls that belong to no episode. Left out: they are rejected. */
  readonly otherwise?: Approver;
}

/**
 * Stands in for a person while training. The same question in an episode of the same seed always gets the same answer,
 * so that a rollout can be played again.
 */
export function simulatedApprover(options: SimulatedOptions): Approver {
  const { seed, approve = 1, decide, otherwise } = options;
  if (!(approve >= 0 && approve <= 1))
    throw new BiplaneError("INVALID_DEFINITION", `approve must be between 0 and 1, not ${approve}`);
  return {
    async approve(request) {
      const { scope } = request.call;
      if (!scope || request.mode !== "simulation") {
        if (otherwise) return otherwise.approve(request);
        throw new BiplaneError("APPROVAL_REJECTED", "Only calls of an episode in simulation are answered here");
      }
      const isYes = decide?.(request) ?? chance(`${seed}:${scope.seed}:${request.hash}`) < approve;
      if (isYes) return { by: "simulated", waited: false };
      throw new BiplaneError("APPROVAL_REJECTED", "A person rejected the call: not this time");
    },
  };
}

/** A number from 0 up to 1 that depends on the text alone. */
function chance(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32;
}
