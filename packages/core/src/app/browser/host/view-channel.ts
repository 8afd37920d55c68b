import { BiplaneError, messageOf } from "../../../errors.ts";
import type { Params, RpcFault, RpcId } from "../../../protocol/rpc.ts";
import { rpcCode } from "../../../protocol/protocol.ts";
import { rpcFaultOf, isNotification, isRequest, isResponse, readFault } from "../bridge/rpc.ts";
import type { RpcRequest, RpcResponse } from "../bridge/rpc.ts";
import { jsonCopy } from "./json-copy.ts";
import { MessageThrottle } from "./limits.ts";
import type { AppLimits } from "./limits.ts";
import type { MessageLog } from "./message-log.ts";

export interface ViewChannelOptions {
  readonly post: (message: object) => void;
  readonly limits: AppLimits;
  readonly log: MessageLog;
  readonly now: () => number;
  /** Serves a request. A thrown error becomes a JSON-RPC error. */
  readonly onRequest: (method: string, params: Params, signal: AbortSignal) => Params | Promise<Params>;
  readonly onNotification: (method: string, params: Params) => void;
  /** True if it is too early for the method. The message is ignored then. */
  readonly isEarly: (method: string) => boolean;
  /** Called when the app has exceeded `limits.faults`. */
  readonly onOverLimit: (reason: string) => void;
}

/** JSON-RPC with an untrusted page, with rate and size limits. */
export class ViewChannel {
  readonly #options: ViewChannelOptions;
  readonly #throttle: MessageThrottle;
  /** Requests of the app, by its ids. */
  readonly #incoming = new Map<RpcId, AbortController>();
  /** Requests of the host, by its own ids. */
  readonly #waiting = new Map<RpcId, Waiting>();
  #ids = 0;
  #faults = 0;
  #isClosed = false;

  constructor(options: ViewChannelOptions) {
    this.#options = options;
    this.#throttle = new MessageThrottle(options.limits.messagesPerSecond, options.now);
  }

  /** Handles an untrusted message. */
  receive(data: unknown): void {
    if (this.#isClosed) return;
    const { limits, log } = this.#options;
    if (!this.#throttle.take()) {
      this.#fault("Too many messages");
      // Answer requests even now, so that the page does not wait. Reading only the id is cheap.
      if (isRequest(data) && String(data.id).length < 100)
        this.#fail(data.id, { code: rpcCode.server, message: "Too many messages: slow down" });
      return;
    }
    const read = jsonCopy(data, { characters: limits.charactersPerMessage, depth: 100 });
    if ("why" in read) return this.#fault(`Ignored a message: ${read.why}`);
    const message = read.copy;
    if ((isRequest(message) || isNotification(message)) && this.#options.isEarly(message.method))
      return this.#fault(`Ignored ${message.method.slice(0, 100)}: it came before ui/initialize`);
    if (isRequest(message)) {
      log.message("view", message);
      void this.#answer(message);
    } else if (isNotification(message)) {
      log.message("view", message);
      this.#options.onNotification(message.method, message.params ?? {});
    } else if (isResponse(message)) {
      log.message("view", message as RpcResponse & { method?: never });
      this.#settle(message);
    } else this.#fault("Ignored a message: it is not JSON-RPC");
  }

  notify(method: string, params: object): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /** Sends the app a request. Rejects if it does not answer within `patienceMs`. */
  request(method: string, params: Params, patienceMs: number): Promise<Params> {
    const id = `host-${++this.#ids}`;
    return new Promise<Params>((resolve, reject) => {
      const late = () =>
        reject(new BiplaneError("TIMEOUT", `The app did not answer ${method} within ${patienceMs} ms.`));
      const timer = setTimeout(late, patienceMs);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#send({ jsonrpc: "2.0", id, method, params });
    }).finally(() => {
      clearTimeout(this.#waiting.get(id)?.timer);
      this.#waiting.delete(id);
    });
  }

  /** The app cancelled its request. */
  cancel(id: RpcId): void {
    this.#incoming.get(id)?.abort();
    this.#incoming.delete(id);
  }

  /** Stops sending and receiving, and cancels all requests. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#incoming.values()) controller.abort();
    this.#incoming.clear();
    for (const { reject } of this.#waiting.values()) reject(new BiplaneError("CANCELLED", "The app is closed."));
  }

  async #answer({ id, method, params }: RpcRequest): Promise<void> {
    if (this.#incoming.has(id)) return this.#fail(id, { code: rpcCode.invalidRequest, message: "This id is in use" });
    if (this.#incoming.size >= this.#options.limits.callsInFlight)
      return this.#fail(id, { code: rpcCode.server, message: "Too many requests at once: wait for an answer" });
    const controller = new AbortController();
    this.#incoming.set(id, controller);
    let reply: { result: Params } | { error: RpcFault };
    try {
      reply = { result: await this.#options.onRequest(method, params ?? {}, controller.signal) };
    } catch (error) {
      reply = { error: rpcFaultOf(error) };
    }
    if (this.#incoming.get(id) !== controller) return;
    this.#incoming.delete(id);
    try {
      this.#send({ jsonrpc: "2.0", id, ...reply });
    } catch (error) {
      this.#fail(id, { code: rpcCode.internal, message: `The result cannot be sent: ${messageOf(error)}` });
    }
  }

  #settle(response: RpcResponse): void {
    const waiting = this.#waiting.get(response.id);
    if (!waiting) return this.#fault("Ignored a response: there is no such request");
    if ("result" in response) waiting.resolve(response.result);
    else waiting.reject(new BiplaneError("EXECUTION_ERROR", readFault(response.error).message));
  }

  #fail(id: RpcId, error: RpcFault): void {
    this.#send({ jsonrpc: "2.0", id, error });
  }

  #send(message: OutgoingMessage): void {
    if (this.#isClosed) return;
    this.#options.post(message);
    this.#options.log.message("host", message);
  }

  #fault(remark: string): void {
    this.#faults++;
    // Do not flood the log either.
    if (this.#faults <= 20 || this.#faults % 100 === 0) this.#options.log.remark(`${remark} (${this.#faults})`);
    if (this.#faults > this.#options.limits.faults) this.#options.onOverLimit(`${remark}, ${this.#faults} times`);
  }
}

interface Waiting {
  readonly resolve: (result: Params) => void;
  readonly reject: (error: Error) => void;
  readonly timer: ReturnType<typeof setTimeout>;
}

interface OutgoingMessage {
  readonly jsonrpc: "2.0";
  readonly id?: RpcId;
  readonly method?: string;
  readonly [key: string]: unknown;
}
