import { BiplaneError } from "@biplane/core";

/** Refuses personal tokens. Otherwise a leaked one could make access that outlasts it. */
export function requireLogin(session: string | undefined, action: string): void {
  if (session === undefined) throw new BiplaneError("FORBIDDEN", `A token cannot ${action}. Sign in to do it.`);
}
