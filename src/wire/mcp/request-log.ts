import type { AnsweredRequest, RequestLog } from "../../server/listening.ts";
import type { Params, RpcId } from "../../protocol/rpc.ts";
import { Prepared } from "./exchange.ts";
import type { Answer } from "./exchange.ts";

/** Serves a request and tells the log of it: once as it comes in, once as it is answered. */
export function logged(
  log: RequestLog,
  { id, method, params }: { id: RpcId; method: string; params: Params },
  serve: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  const name = params["name"];
  const tool = method === "tools/call" && typeof name === "string" ? name : undefined;
  const startedAt = performance.now();
  log.received({ id, method, tool });
  const tell = (answer: Answer) => {
    log.answered({ id, method, tool, durationMs: performance.now() - startedAt, ...told(answer) });
    return answer;
  };
  const answer = serve();
  return answer instanceof Promise ? answer.then(tell) : tell(answer);
}

function told(answer: Answer): Pick<AnsweredRequest, "status" | "errorCode" | "entries"> {
  if (answer === "silence") return { status: "cancelled" };
  if ("fault" in answer) return { status: "failed", errorCode: answer.fault.code };
  if (answer.isError) return { status: "failed" };
  const { result } = answer;
  if (result instanceof Prepared) return { status: "complete", entries: result.entries };
  // Only these two begin so: what is made by hand begins with its content.
  if (result.startsWith('{"resultType":"input_required"')) return { status: "input_required" };
  return { status: result.startsWith('{"resultType":"task"') ? "task" : "complete" };
}
