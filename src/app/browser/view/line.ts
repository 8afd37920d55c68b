import { BiplaneError } from "../../../errors.ts";
import type { ErrorCode } from "../../../errors.ts";
import type { Params, RpcId } from "../../../protocol/rpc.ts";
import type { ViewNotifications, ViewRequests } from "../bridge/messages.ts";
import { faultOf, isNotification, isRequest, isResponse, errorOf } from "../bridge/rpc.ts";
import type { RequestOptions } from "./view.ts";

export interface LineOptions {
  readonly timeoutMs: number;
  readonly onRequest: (method: string, params: Params) => Params | Promise<Params>;
  readonly onNotification: (method: string, params: Params) => void;
}

/** JSON-RPC with the window above. Messages of any other window are not even looked at. */
export class Line {
  readonly #options: LineOptions;
  readonly #waiting = new Map<RpcId, (error: BiplaneError | undefined, result?: unknown) => void>();
  /** Nobody tells a page who shows it: the first answer does, and from then on it is that origin's conversation. */
  #origin = "*";
  #lastId = 0;
  #isClosed = false;

  constructor(options: LineOptions) {
    this.#options = options;
    addEventListener("message", this.#receive);
  }

  request<Method extends keyof ViewRequests>(
    method: Method,
    params: ViewRequests[Method]["params"],
    { signal, timeoutMs = this.#options.timeoutMs }: RequestOptions = {},
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
      const timer = setTimeout(late, Math.min(timeoutMs, longestTimer));
      if (this.#isClosed || signal?.aborted) return abort();
      signal?.addEventListener("abort", abort);
      try {
        this.#post({ id, method, params });
        this.#waiting.set(id, settle);
      } catch (error) {
        giveUp("INVALID_INPUT", "is not JSON and cannot be sent", error);
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

  /** As JSON and nothing more: a framework's proxies and dates would be something else on the other side. */
  #post(message: object): void {
    parent.postMessage(JSON.parse(JSON.stringify({ jsonrpc: "2.0", ...message })), this.#origin);
  }

  readonly #receive = ({ source, origin, data }: MessageEvent<unknown>) => {
    if (source !== parent || (this.#origin !== "*" && origin !== this.#origin)) return;
    if (isResponse(data)) {
      const settle = this.#waiting.get(data.id);
      if (!settle) return;
      if (origin.startsWith("http")) this.#origin = origin; // desktop hosts have origins that nothing can be sent to
      if ("result" in data) settle(undefined, data.result);
      else settle(errorOf(data.error, "host"));
    } else if (isRequest(data)) void this.#answer(data.id, data.method, data.params ?? {});
    else if (isNotification(data)) this.#options.onNotification(data.method, data.params ?? {});
  };

  async #answer(id: RpcId, method: string, params: Params): Promise<void> {
    try {
      this.#post({ id, result: await this.#options.onRequest(method, params) });
    } catch (error) {
      this.#post({ id, error: faultOf(error) });
    }
  }
}

/** Timers count in 31 bits, and Infinity would be over at once. */
const longestTimer = 2 ** 31 - 1;
