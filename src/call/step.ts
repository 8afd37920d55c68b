import type { Passage } from "./passage.ts";
import { toolOf } from "./passage.ts";

/** In an episode: waits for the turn. Reading is not a step and needs none. */
export function enter(passage: Passage): void | Promise<void> {
  const { scope } = passage.call;
  if (!scope || !isStep(passage)) return;
  const waiting = scope.enter(passage.call);
  if (!waiting) {
    passage.entered = true;
    return;
  }
  return waiting.then(() => {
    passage.entered = true;
  });
}

/** In an episode: a tool that returned nothing answers with what can be seen now. */
export function observe(passage: Passage): void | Promise<void> {
  const { scope } = passage.call;
  if (!scope || !passage.entered || passage.value !== undefined) return;
  const seen = scope.observe(passage.call);
  if (!(seen instanceof Promise)) {
    passage.value = seen;
    return;
  }
  return seen.then((late: unknown) => {
    passage.value = late;
  });
}

/** In an episode: makes the step count. */
export function commit(passage: Passage): void | Promise<void> {
  const { scope } = passage.call;
  if (!scope || !passage.entered || passage.call.suspendedOn) return;
  return scope.commit(passage.call, { tool: toolOf(passage), input: passage.input, value: passage.value });
}

function isStep(passage: Passage): boolean {
  return !toolOf(passage).name.includes("/");
}
