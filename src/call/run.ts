import { BiplaneError } from "../errors.ts";
import { Deadline } from "./deadline.ts";
import type { Passage } from "./passage.ts";
import { toolOf } from "./passage.ts";

/** Runs the tool. There is a clock only for a `run` that waits: one that never yields cannot be interrupted anyway. */
export function run(passage: Passage): void | Promise<void> {
  const tool = toolOf(passage);
  const { call } = passage;
  if (tool.task === undefined) return start(passage);
  if (tool.task === "required" && !call.request.peer?.detach) {
    throw new BiplaneError("NOT_SUPPORTED", `${tool.name} runs only as a task, which this caller cannot follow`, {
      details: { question: "task" },
    });
  }
  return tool.interactive ? start(passage) : call.detach().then(() => start(passage));
}

function start(passage: Passage): void | Promise<void> {
  const tool = toolOf(passage);
  const { call } = passage;
  call.begin(tool);
  const value = tool.run(passage.input, call);
  if (!isThenable(value)) {
    passage.value = value;
    return;
  }
  const late = () => call.stop(new BiplaneError("TIMEOUT", `${tool.name} did not finish within ${tool.timeoutMs} ms`));
  const deadline = new Deadline(tool.timeoutMs, late);
  call.startClock(deadline);
  return new Promise<unknown>((resolve, reject) => void value.then(resolve, reject))
    .then((result) => {
      passage.value = result;
    })
    .finally(() => deadline.stop());
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
