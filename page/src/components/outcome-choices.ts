import { errorCodes } from "../../../packages/core/src/errors.ts";
import { outcomeLabel } from "./badge.tsx";

interface Choice {
  readonly value: string;
  readonly title: string;
}

export const anyOutcome: Choice = { value: "", title: "All outcomes" };

/** Every outcome of a call, as choices of a filter. */
export const outcomeChoices: readonly Choice[] = (["done", "suspended", ...errorCodes] as const).map((value) => ({
  value,
  title: outcomeLabel(value),
}));
