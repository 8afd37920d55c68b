import { messageOf } from "../errors.ts";
import type { Interceptor } from "./intercept.ts";
import { oneLine } from "../tool/one-line.ts";

export interface RequestLogEntry {
  readonly method: string;
  /** The tool, prompt, resource URI or task id. */
  readonly name: string | undefined;
  readonly durationMs: number;
  readonly outcome: "done" | "failed";
  readonly error?: string;
}

/** Logs the method, duration and outcome of every request, never its arguments or result. */
export function logging(options: { write?: (line: RequestLogEntry) => void; now?: () => number } = {}): Interceptor {
  const { write = toStderr, now = () => performance.now() } = options;
  return async (call, next) => {
    const { method, params } = call;
    const subject = params["name"] ?? params["uri"] ?? params["taskId"];
    const name = typeof subject === "string" ? subject : undefined;
    const start = now();
    try {
      const result = await next(call);
      const outcome = result["isError"] === true ? "failed" : "done";
      write({ method, name, durationMs: now() - start, outcome });
      return result;
    } catch (error) {
      write({ method, name, durationMs: now() - start, outcome: "failed", error: messageOf(error) });
      throw error;
    }
  };
}

function toStderr({ method, name, durationMs, outcome, error }: RequestLogEntry): void {
  const subject = name === undefined ? "" : ` ${name}`;
  const line = `${method}${subject} ${outcome} in ${durationMs.toFixed(1)} ms${error ? `: ${error}` : ""}`;
  process.stderr.write(`${oneLine(line)}\n`);
}
