import type { AuditOutcome, ValueOf } from "@biplane/core/internal";
import type { ObjectSchema } from "../../schema/builders.ts";
import { outcomeKind } from "./outcome-kind.ts";
import type { outcomeCounts } from "./statistics-api.ts";

export type OutcomeCounts = ValueOf<ObjectSchema<typeof outcomeCounts>>;

/** How many calls there were, and how they ended. */
export class OutcomeCount implements OutcomeCounts {
  calls = 0;
  /** Every call that did not run to its end. */
  failed = 0;
  /** Of the failed ones: denied or asked. */
  refused = 0;
  asked = 0;
  invalid = 0;

  addOutcome(outcome: AuditOutcome): void {
    const kind = outcomeKind(outcome);
    this.calls++;
    if (kind !== "done") this.failed++;
    if (kind === "denied" || kind === "asked") this.refused++;
    if (kind === "asked") this.asked++;
    if (kind === "invalid") this.invalid++;
  }

  addCounts({ calls, failed, refused, asked, invalid }: OutcomeCounts): void {
    this.calls += calls;
    this.failed += failed;
    this.refused += refused;
    this.asked += asked;
    this.invalid += invalid;
  }

  counts(): OutcomeCounts {
    const { calls, failed, refused, asked, invalid } = this;
    return { calls, failed, refused, asked, invalid };
  }
}
