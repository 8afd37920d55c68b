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
    if (passage.call.isOver) scope.leave(passage.call); // stopped while it waited in line
    else passage.entered = true;
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
  if (!scope || !passage.entered || passage.call.suspendedOn || toolOf(passage).composite) return;
  const judging = scope.commit(passage.call, { tool: toolOf(passage), input: passage.input, value: passage.value });
  if (judging) passage.judging = judging;
  return judging;
}

/** In an episode: gives the turn back, once the step has been judged; the caller need not wait for that. */
export function leave({ call, entered, judging }: Passage): void {
  if (!entered) return;
  if (judging) void judging.finally(() => call.scope?.leave(call));
  else call.scope?.leave(call);
}

function isStep({ call }: Passage): boolean {
  return call.request.builtIn === undefined;
}
