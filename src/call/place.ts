import type { Passage } from "./passage.ts";
import type { Scope } from "./scope.ts";

/** Finds the episode a call belongs to, where calls belong to one. */
export function place(passage: Passage): void | Promise<void> {
  const found = passage.call.request.scope?.();
  if (found instanceof Promise) return found.then((late) => settle(passage, late));
  if (found) settle(passage, found);
}

function settle(passage: Passage, scope: Scope): void {
  passage.call.scope = scope;
}
