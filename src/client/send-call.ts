import { rpcCode } from "../protocol/protocol.ts";
import type { Params } from "../protocol/rpc.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Connection } from "./connection.ts";
import type { OutgoingCall } from "./intercept.ts";
import type { Link } from "./link.ts";
import type { ConnectOptions, RequestOptions } from "./options.ts";
import { recover } from "./recover.ts";
import { rpcErrorOf } from "./response.ts";
import { answerRounds } from "./rounds.ts";
import { followTask } from "./tasks.ts";

export interface SendParts {
  readonly link: Link;
  readonly catalogue: Catalogue;
  readonly options: ConnectOptions & { sleep: (ms: number, signal: AbortSignal) => Promise<void> };
  /** Lists the tools anew, past all middleware. */
  readonly listTools: () => Promise<unknown>;
}

/** Sends a request and sees it through: questions answered, a task waited for, losses mended. */
export async function sendCall(call: OutgoingCall, parts: SendParts): Promise<Params> {
  const { method, options } = call;
  const send = (params: Params) => sendOnce({ ...call, params }, parts);
  if (options.raw) return send(call.params);
  const answers = options.answers ?? parts.options.answers ?? {};
  const result = await answerRounds(send, call.params, { ...options, answers });
  if (method !== "tools/call" || result["resultType"] !== "task") return result;
  return waitForTask(result, options, parts);
}

/** Waits for a task that a call has become, now or earlier. */
export function waitForTask(task: Params, options: RequestOptions, parts: SendParts): Promise<Params> {
  const { sleep } = parts.options;
  const answers = options.answers ?? parts.options.answers ?? {};
  const request = (method: string, params: Params, more: RequestOptions = {}) =>
    sendOnce({ method, params, options: more, isRepeatable: async () => method !== "tasks/update" }, parts);
  return followTask(task, { ...options, answers, sleep, request });
}

/** One request, over as many connections as it takes. */
export async function sendOnce(call: Omit<OutgoingCall, "server">, parts: SendParts): Promise<Params> {
  const { link, catalogue, options } = parts;
  const { method, params } = call;
  const wire = ({ agreement }: Connection) => ({
    headers: method === "tools/call" && agreement.era === "modern" ? catalogue.headersOf(params) : undefined,
  });
  const send = () => recover(link, { ...call, timeoutMs: options.timeoutMs ?? 30_000, wire });
  try {
    return await send();
  } catch (error) {
    // The tool may want other parameters in headers than it did when it was listed; nothing has been done yet.
    if (method !== "tools/call" || rpcErrorOf(error)?.code !== rpcCode.headerMismatch) throw error;
    await parts.listTools();
    return send();
  }
}
