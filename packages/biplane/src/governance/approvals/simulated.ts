import { createHash } from "node:crypto";
import type { ApprovalRequest, Approver } from "@biplane/core/internal";
import { BiplaneError } from "@biplane/core";

export interface SimulatedOptions {
  readonly seed: number;
  /** Probability of approval, from 0 to 1 (default: 1). */
  readonly approve?: number;
  /** Returns a decision, or undefined to leave it to chance. */
  readonly decide?: (request: ApprovalRequest) => boolean | undefined;
  /** Handles calls outside of episodes (default: they are rejected). */
  readonly otherwise?: Approver;
}

/**
 * Simulates a person during training. The same question in an episode with the same seed always gets the same answer,
 * so that rollouts are reproducible.
 */
export function simulatedApprover(options: SimulatedOptions): Approver {
  const { seed, approve = 1, decide, otherwise } = options;
  if (!(approve >= 0 && approve <= 1))
    throw new BiplaneError("INVALID_DEFINITION", `approve must be between 0 and 1, not ${approve}.`);
  return {
    async approve(request) {
      const { scope } = request.call;
      if (!scope || request.mode !== "simulation") {
        if (otherwise) return otherwise.approve(request);
        throw new BiplaneError(
          "APPROVAL_REJECTED",
          "The simulated approver only answers calls of episodes in simulation mode.",
        );
      }
      const isApproved = decide?.(request) ?? chance(`${seed}:${scope.seed}:${request.hash}`) < approve;
      if (isApproved) return { by: "simulated", waited: false };
      throw new BiplaneError("APPROVAL_REJECTED", "A simulated person rejected the call.");
    },
  };
}

/** A number from 0 to 1 that depends only on the text. */
function chance(text: string): number {
  return createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32;
}
