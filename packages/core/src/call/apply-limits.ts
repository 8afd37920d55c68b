import type { CallState } from "./call-state.ts";

/** Counts the call against the rate limits. */
export function limit({ call, host }: CallState): void | Promise<void> {
  return host.limits?.count(call, host.mode);
}

/**
 * Takes a concurrency slot until the call ends. It comes after approval, so a waiting call holds no slot. Composite tools
 * hold none either, because the calls they make take their own.
 */
export function occupy(state: CallState): void {
  if (state.tool?.composite) return;
  state.release = state.host.limits?.enter(state.call, state.host.mode);
}
