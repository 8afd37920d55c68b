import { BiplaneError } from "../errors.ts";
import { readErrorMeta } from "../protocol/error-meta.ts";
import type { Params } from "../protocol/rpc.ts";
import type { Answers } from "./answers.ts";
import type { RequestOptions } from "./options.ts";
import { rpcFailure } from "./response.ts";
import { answerAll } from "./rounds.ts";
import { isRecord } from "../is-record.ts";

export interface TaskOptions extends RequestOptions {
  readonly answers: Answers;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly request: (method: string, params: Params, options?: RequestOptions) => Promise<Params>;
}

/** Waits for a task to end and answers its questions. Cancels it when the signal aborts. */
export async function followTask(first: Params, options: TaskOptions): Promise<Params> {
  const { taskId } = first;
  if (typeof taskId !== "string") throw new BiplaneError("EXECUTION_ERROR", "The server's task has no taskId.");
  const { sleep, request, onTask, onPending, onInput, timeoutMs } = options;
  const signal = options.signal ?? new AbortController().signal;
  const answered = new Set<string>();
  try {
    let task = first;
    let pending: BiplaneError | undefined;
    for (;;) {
      onTask?.(task);
      const waits = pendingOf(task);
      if (waits?.message !== pending?.message) onPending?.(waits);
      pending = waits;
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
    await request("tasks/cancel", { taskId }, { timeoutMs: 5000 }).catch(() => undefined); // the task may have ended already
    throw new BiplaneError("CANCELLED", `The task ${taskId} was cancelled.`, { cause: error, details: { taskId } });
  }
}

function endOf(task: Params): Params | undefined {
  const { taskId, status, result, error, statusMessage } = task;
  switch (status) {
    case "completed":
      if (isRecord(result)) return result;
      throw new BiplaneError("EXECUTION_ERROR", `The task ${String(taskId)} ended without a result.`);
    case "failed": {
      const { code, message, data } = isRecord(error) ? error : {};
      const reason = [message, statusMessage].find((each) => typeof each === "string");
      throw rpcFailure(`the task ${String(taskId)}`, {
        code: typeof code === "number" ? code : -32603,
        message: reason ?? "no reason given",
        data,
      });
    }
    case "cancelled":
      throw new BiplaneError("CANCELLED", `The task ${String(taskId)} was cancelled.`, { details: { taskId } });
    default:
      return undefined;
  }
}

/** What a task of a Biplane server waits for. */
function pendingOf({ status, statusMessage, _meta: meta }: Params): BiplaneError | undefined {
  const known = status === "working" ? readErrorMeta(meta) : undefined;
  return known && new BiplaneError(known.code, String(statusMessage), { details: known.details });
}

/** Drops questions that are answered but still listed, because the server has not read the answers yet. */
function unanswered(questions: unknown, answered: ReadonlySet<string>): Params | undefined {
  if (!isRecord(questions)) return undefined;
  const open = Object.entries(questions).filter(([key]) => !answered.has(key));
  return open.length > 0 ? Object.fromEntries(open) : undefined;
}

function pauseOf({ pollIntervalMs }: Params): number {
  return typeof pollIntervalMs === "number" ? Math.min(Math.max(pollIntervalMs, 50), 60_000) : 1000;
}
