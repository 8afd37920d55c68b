import { BiplaneError } from "../errors.ts";
import { checkAudit } from "./audit.ts";
import { PausableDeadline } from "./deadline.ts";
import type { Tool } from "../tool/tool.ts";
import type { CallState } from "./call-state.ts";
import { toolOf } from "./call-state.ts";
import { recordedInput } from "./record.ts";

/** Runs the tool. A synchronous `run` cannot be interrupted, so its time is checked when it has returned. */
export function run(state: CallState): void | Promise<void> {
  const tool = toolOf(state);
  const { call } = state;
  if (tool.task === undefined) return begin(state);
  if (tool.task === "required" && !call.request.peer?.detach) {
    throw new BiplaneError("NOT_SUPPORTED", `${tool.name} runs only as a task, which this caller does not support.`, {
      details: { question: "task" },
    });
  }
  return tool.interactive ? begin(state) : call.detach().then(() => begin(state));
}

/** A task notes that it begins. If it is interrupted, another process knows whether the tool may have run. */
function begin(state: CallState): void | Promise<void> {
  if (state.call.stopped) throw state.call.stopped; // while it became a task
  const noting = state.call.request.peer?.noteBegin?.();
  return noting ? noting.then(() => start(state)) : start(state);
}

function start(state: CallState): void | Promise<void> {
  const tool = toolOf(state);
  const { call, host } = state;
  if (call.stopped) throw call.stopped; // while its beginning was noted
  checkAudit(state); // It may have begun to fail while the call waited.
  if (host.audit) recordedInput(state);
  call.begin(tool);
  const startedAt = performance.now();
  const value = tool.run(state.input, call);
  if (!isThenable(value)) {
    if (performance.now() - startedAt > tool.timeoutMs) call.stop(timedOut(tool));
    state.value = value;
    return;
  }
  const deadline = new PausableDeadline(tool.timeoutMs, { onLate: () => call.stop(timedOut(tool)), startedAt });
  call.startDeadline(deadline);
  return new Promise<unknown>((resolve, reject) => void value.then(resolve, reject))
    .then((result) => {
      if (deadline.isLate) call.stop(timedOut(tool));
      state.value = result;
    })
    .finally(() => deadline.stop());
}

function timedOut({ name, timeoutMs }: Tool): BiplaneError {
  const advice = "Raise timeoutMs in its definition if it needs longer.";
  return new BiplaneError("TIMEOUT", `${name} timed out after ${timeoutMs} ms. ${advice}`);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
