import { toolOf } from "./call-state.ts";
import type { CallState } from "./call-state.ts";
import type { Scope } from "./scope.ts";
import { recall } from "./step.ts";

/** Finds the call's episode, if it has one. */
export function findEpisode(state: CallState): void | Promise<void> {
  const { call, host } = state;
  const found = call.request.scope?.() ?? host.episodeFor?.(toolOf(state), call);
  if (found instanceof Promise) return found.then((late) => settle(state, late));
  if (found) settle(state, found);
}

function settle(state: CallState, scope: Scope): void {
  state.call.scope = scope;
  recall(state);
}
