import type { AnsweredRequest, RequestLog } from "../../server/listening.ts";
import type { Params, RpcId } from "../../protocol/rpc.ts";
import { PreparedResult } from "./exchange.ts";
import type { McpAnswer } from "./exchange.ts";

/** Serves a request and logs it twice: when it arrives and when it is answered. */
export function logged(
  log: RequestLog,
  { id, method, params }: { id: RpcId; method: string; params: Params },
  serve: () => McpAnswer | Promise<McpAnswer>,
): McpAnswer | Promise<McpAnswer> {
  const name = params["name"];
  const tool = method === "tools/call" && typeof name === "string" ? name : undefined;
  const startedAt = performance.now();
  log.received({ id, method, tool });
  const record = (answer: McpAnswer) => {
    log.answered({ id, method, tool, durationMs: performance.now() - startedAt, ...statusOf(answer) });
    return answer;
  };
  const answer = serve();
  return answer instanceof Promise ? answer.then(record) : record(answer);
}

function statusOf(answer: McpAnswer): Pick<AnsweredRequest, "status" | "errorCode" | "entries"> {
  if (answer === "no-response") return { status: "cancelled" };
  if ("fault" in answer) return { status: "failed", errorCode: answer.fault.code };
  if (answer.isError) return { status: "failed" };
  const { result } = answer;
  if (result instanceof PreparedResult) return { status: "complete", entries: result.entries };
  // Only these two results begin with `resultType`.
  if (result.startsWith('{"resultType":"input_required"')) return { status: "input_required" };
  return { status: result.startsWith('{"resultType":"task"') ? "task" : "complete" };
}
