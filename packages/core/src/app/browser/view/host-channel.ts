import { BiplaneError } from "../../../errors.ts";
import type { ErrorCode } from "../../../errors.ts";
import type { Params, RpcId } from "../../../protocol/rpc.ts";
import type { ViewNotifications, ViewRequests } from "../bridge/messages.ts";
import { rpcFaultOf, isNotification, isRequest, isResponse, errorOf } from "../bridge/rpc.ts";
import type { ViewRequestOptions } from "./view.ts";

export interface HostChannelOptions {
  readonly timeoutMs: number;
  readonly onRequest: (method: string, params: Params) => Params | Promise<Params>;
  readonly onNotification: (method: string, params: Params) => void;
}

/** JSON-RPC with the parent window. Messages from other windows are ignored. */
export class HostChannel {
  readonly #options: HostChannelOptions;
  readonly #waiting = new Map<RpcId, (error: BiplaneError | undefined, result?: unknown) => void>();
  /** The host's origin. Unknown until its first response; afterwards only that origin is accepted. */
  #origin = "*";
  #lastId = 0;
  #isClosed = false;

  constructor(options: HostChannelOptions) {
    this.#options = options;
    addEventListener("message", this.#receive);
  }

  request<Method extends keyof ViewRequests>(
    method: Method,
    params: ViewRequests[Method]["params"],
    { signal, timeoutMs = this.#options.timeoutMs }: ViewRequestOptions = {},
  ): Promise<ViewRequests[Method]["result"]> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      const settle = (error: BiplaneError | undefined, result?: unknown) => {
        this.#waiting.delete(id);
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        if (error) reject(error);
        else resolve(result as ViewRequests[Method]["result"]);
      };
      const giveUp = (code: ErrorCode, reason: string, cause?: unknown) => {
        if (this.#waiting.has(id)) this.notify("notifications/cancelled", { requestId: id, reason });
        settle(new BiplaneError(code, `${method} ${reason}`, { cause }));
      };
      const abort = () => giveUp("CANCELLED", "was cancelled", signal?.reason);
      const late = () => giveUp("TIMEOUT", `was not answered within ${timeoutMs} ms`);
      const timer = setTimeout(late, Math.min(timeoutMs, maxTimerMs));
      if (this.#isClosed || signal?.aborted) return abort();
      signal?.addEventListener("abort", abort);
      try {
        this.#post({ id, method, params });
        this.#waiting.set(id, settle);
      } catch (error) {
        giveUp("INVALID_INPUT", "cannot be serialized as JSON", error);
      }
    });
  }

  notify<Method extends keyof ViewNotifications>(method: Method, params: ViewNotifications[Method]): void {
    this.#post({ method, params });
  }

  close(): void {
    this.#isClosed = true;
    removeEventListener("message", this.#receive);
    for (const settle of this.#waiting.values()) settle(new BiplaneError("CANCELLED", "The view was closed"));
  }

  /** Posts plain JSON: `postMessage` would clone dates and fail on framework proxies. */
  #post(message: object): void {
    parent.postMessage(JSON.parse(JSON.stringify({ jsonrpc: "2.0", ...message })), this.#origin);
  }

  readonly #receive = ({ source, origin, data }: MessageEvent<unknown>) => {
    if (source !== parent || (this.#origin !== "*" && origin !== this.#origin)) return;
    if (isResponse(data)) {
      const settle = this.#waiting.get(data.id);
      if (!settle) return;
      if (origin.startsWith("http")) this.#origin = origin; // origins of desktop hosts are not valid targets
      if ("result" in data) settle(undefined, data.result);
      else settle(errorOf(data.error, "host"));
    } else if (isRequest(data)) void this.#answer(data.id, data.method, data.params ?? {});
    else if (isNotification(data)) this.#options.onNotification(data.method, data.params ?? {});
  };

  async #answer(id: RpcId, method: string, params: Params): Promise<void> {
    try {
      this.#post({ id, result: await this.#options.onRequest(method, params) });
    } catch (error) {
      this.#post({ id, error: rpcFaultOf(error) });
    }
  }
}

/** Timers take 31 bits; a longer delay, such as Infinity, would fire at once. */
const maxTimerMs = 2 ** 31 - 1;
