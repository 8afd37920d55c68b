import { BiplaneError } from "../errors.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Params } from "../protocol/rpc.ts";
import type { Answers } from "./answers.ts";
import type { RequestOptions } from "./options.ts";
import { refusal } from "./response.ts";
import { answerAll } from "./rounds.ts";

export interface TaskOptions extends RequestOptions {
  readonly answers: Answers;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly request: (method: string, params: Params, options?: RequestOptions) => Promise<Params>;
}

/** Waits for a task to end, answering what it asks on the way. Cancels it when the caller's signal says so. */
export async function followTask(first: Params, options: TaskOptions): Promise<Params> {
  const { taskId } = first;
  if (typeof taskId !== "string") throw new BiplaneError("EXECUTION_ERROR", "the server's task has no taskId");
  const { sleep, request, onTask, onInput, timeoutMs } = options;
  const signal = options.signal ?? new AbortController().signal;
  const answered = new Set<string>();
  try {
    let task = first;
    for (;;) {
      onTask?.(task);
      const end = endOf(task);
      if (end) return end;
      const open = task["status"] === "input_required" ? unanswered(task["inputRequests"], answered) : undefined;
      if (open) {
        onInput?.();
        const inputResponses = await answerAll(open, { answers: options.answers, signal });
        for (const key of Object.keys(open)) answered.add(key);
        await request("tasks/update", { taskId, inputResponses }, { signal, timeoutMs });
      } else await sleep(pauseOf(task), signal);
      task = await request("tasks/get", { taskId }, { signal, timeoutMs });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    await request("tasks/cancel", { taskId }, { timeoutMs: 5000 }).catch(() => undefined); // it may be over already
    throw new BiplaneError("CANCELLED", `the task ${taskId} was cancelled`, { cause: error, details: { taskId } });
  }
}

function endOf(task: Params): Params | undefined {
  const { taskId, status, result, error, statusMessage } = task;
  switch (status) {
    case "completed":
      if (isObject(result)) return result;
      throw new BiplaneError("EXECUTION_ERROR", `the task ${String(taskId)} ended without a result`);
    case "failed": {
      const { code, message, data } = isObject(error) ? error : {};
      const said = [message, statusMessage].find((each) => typeof each === "string");
      const why = said ?? "no reason given";
      throw refusal(`the task ${String(taskId)}`, {
        code: typeof code === "number" ? code : -32603,
        message: why,
        data,
      });
    }
    case "cancelled":
      throw new BiplaneError("CANCELLED", `the task ${String(taskId)} was cancelled`, { details: { taskId } });
    default:
      return undefined;
  }
}

/** Questions that have been answered may be listed until the server has read the answers. */
function unanswered(questions: unknown, answered: ReadonlySet<string>): Params | undefined {
  if (!isObject(questions)) return undefined;
  const open = Object.entries(questions).filter(([key]) => !answered.has(key));
  return open.length > 0 ? Object.fromEntries(open) : undefined;
}

function pauseOf({ pollIntervalMs }: Params): number {
  return typeof pollIntervalMs === "number" ? Math.min(Math.max(pollIntervalMs, 50), 60_000) : 1000;
}
