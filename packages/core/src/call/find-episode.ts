import { BiplaneError } from "../errors.ts";
import { toolOf } from "./call-state.ts";
import type { CallState } from "./call-state.ts";
import type { Scope } from "./scope.ts";

/** Finds the call's episode, if it has one. */
export function findEpisode(state: CallState): void | Promise<void> {
  const { call, host } = state;
  const found = call.request.scope?.(call) ?? host.episodeFor?.(toolOf(state), call);
  if (found instanceof Promise) return found.then((late) => settle(state, late));
  if (found) settle(state, found);
}

function settle(state: CallState, scope: Scope): void {
  // The episode that was found before has been replaced.
  if (state.episode !== undefined && state.episode !== scope.id)
    throw new BiplaneError("EPISODE_ENDED", "The episode was replaced while the call was made. Nothing was changed.");
  state.episode = scope.id;
  state.call.scope = scope;
}
