import { outcomes } from "../../../packages/biplane/src/admin/calls/outcomes.ts";
import { outcomeLabel } from "./badge.tsx";

interface Choice {
  readonly value: string;
  readonly title: string;
}

export const anyOutcome: Choice = { value: "", title: "All outcomes" };

/** Every outcome of a call, as choices of a filter. */
export const outcomeChoices: readonly Choice[] = outcomes.map((value) => ({ value, title: outcomeLabel(value) }));
