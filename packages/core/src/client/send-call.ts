import { randomUUID } from "node:crypto";
import { isRecord } from "../is-record.ts";
import { metaKey, rpcCode } from "../protocol/protocol.ts";
import { keysWithin, repeatWhileBusy } from "./idempotent-calls.ts";
import type { Params } from "../protocol/rpc.ts";
import type { ListedTools } from "./listed-tools.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { OutgoingCall } from "./intercept.ts";
import type { Reconnector } from "./reconnector.ts";
import type { ConnectOptions, RequestOptions } from "./options.ts";
import { recover } from "./recover.ts";
import { rpcErrorOf } from "./response.ts";
import { answerRounds } from "./rounds.ts";
import { followTask } from "./tasks.ts";

export interface SendContext {
  readonly reconnector: Reconnector;
  readonly listedTools: ListedTools;
  readonly options: ConnectOptions & { sleep: (ms: number, signal: AbortSignal) => Promise<void> };
  /** Lists the tools again, without interceptors. */
  readonly listTools: () => Promise<unknown>;
}

/** Sends a request, answers its questions and waits for its task. */
export async function sendCall(call: OutgoingCall, context: SendContext): Promise<Params> {
  const { method, options } = call;
  const send = (params: Params) => sendOnce({ ...call, params }, context);
  if (options.raw) return send(call.params);
  const answers = options.answers ?? context.options.answers ?? {};
  const result = await answerRounds(send, call.params, { ...options, answers });
  if (method !== "tools/call" || result["resultType"] !== "task") return result;
  return waitForTask(result, options, context);
}

/** Waits for the result of a task. */
export function waitForTask(task: Params, options: RequestOptions, context: SendContext): Promise<Params> {
  const { sleep } = context.options;
  const answers = options.answers ?? context.options.answers ?? {};
  const request = (method: string, params: Params, more: RequestOptions = {}) =>
    sendOnce({ method, params, options: more, isRepeatable: async () => method !== "tasks/update" }, context);
  return followTask(task, { ...options, answers, sleep, request });
}

/** True if the server makes a call with a key once, however often and in whatever session it arrives. */
function takesKeys(connection: ClientConnection | undefined): boolean {
  return keysWithin(connection?.agreement.capabilities ?? {}) === "caller";
}

function withKey(params: Params, key: string): Params {
  const meta = params["_meta"];
  return { ...params, _meta: { [metaKey.idempotencyKey]: key, ...(isRecord(meta) ? meta : {}) } };
}

/** Sends one request, reconnecting as needed. */
export async function sendOnce(call: Omit<OutgoingCall, "server">, context: SendContext): Promise<Params> {
  const { reconnector, listedTools, options } = context;
  const { method } = call;
  const key = method === "tools/call" && takesKeys(reconnector.current) ? randomUUID() : undefined;
  const params = key === undefined ? call.params : withKey(call.params, key);
  const wire = ({ agreement }: ClientConnection) => ({
    headers: method === "tools/call" && agreement.era === "modern" ? listedTools.headersOf(params) : undefined,
  });
  const isRepeatable = key === undefined ? call.isRepeatable : async () => true;
  const timeoutMs = options.timeoutMs ?? 30_000;
  const sendNow = () => recover(reconnector, { ...call, params, isRepeatable, timeoutMs, wire });
  const send = () => (key === undefined ? sendNow() : repeatWhileBusy(sendNow, call.options.signal));
  try {
    return await send();
  } catch (error) {
    // The tool's header parameters changed since it was listed. The server rejected the call, so a retry is safe.
    if (method !== "tools/call" || rpcErrorOf(error)?.code !== rpcCode.headerMismatch) throw error;
    await context.listTools();
    return send();
  }
}
