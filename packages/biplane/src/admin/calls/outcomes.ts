import { errorCodes } from "@biplane/core/internal";

/** Every outcome of a call. */
export const outcomes = ["done", "suspended", ...errorCodes] as const;
