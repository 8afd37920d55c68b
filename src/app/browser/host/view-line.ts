import { BiplaneError, messageOf } from "../../../errors.ts";
import type { Params, RpcFault, RpcId } from "../../../protocol/rpc.ts";
import { faultOf, isNotification, isRequest, isResponse, readFault, rpcCode } from "../bridge/rpc.ts";
import type { RpcRequest, RpcResponse } from "../bridge/rpc.ts";
import { jsonCopy } from "./json-copy.ts";
import { Throttle } from "./limits.ts";
import type { AppLimits } from "./limits.ts";
import type { MessageLog } from "./message-log.ts";

export interface ViewLineOptions {
  readonly post: (message: object) => void;
  readonly limits: AppLimits;
  readonly log: MessageLog;
  readonly now: () => number;
  /** Answers a request; what it throws goes out as an error. */
  readonly onRequest: (method: string, params: Params, signal: AbortSignal) => Params | Promise<Params>;
  readonly onNotification: (method: string, params: Params) => void;
  /** Whether this is not yet the time for it. What comes too early is ignored. */
  readonly isEarly: (method: string) => boolean;
  /** The app has gone too far. */
  readonly onTooMuch: (reason: string) => void;
}

/** JSON-RPC with a page that may send anything, as fast as it can. */
export class ViewLine {
  readonly #options: ViewLineOptions;
  readonly #throttle: Throttle;
  /** What the app asked, by its ids. */
  readonly #asked = new Map<RpcId, AbortController>();
  /** What we asked, by ours. */
  readonly #waiting = new Map<RpcId, Waiting>();
  #ids = 0;
  #faults = 0;
  #isClosed = false;

  constructor(options: ViewLineOptions) {
    this.#options = options;
    this.#throttle = new Throttle(options.limits.messagesPerSecond, options.now);
  }

  /** Takes whatever came. */
  receive(data: unknown): void {
    if (this.#isClosed) return;
    const { limits, log } = this.#options;
    if (!this.#throttle.take()) {
      this.#fault("the app sends more messages than it may");
      // A page that waits for an answer is better told than left; reading this much of a message costs nothing.
      if (isRequest(data) && String(data.id).length < 100)
        this.#fail(data.id, { code: rpcCode.server, message: "Too many messages: slow down" });
      return;
    }
    const read = jsonCopy(data, { characters: limits.charactersPerMessage, depth: 100 });
    if ("why" in read) return this.#fault(`a message is ignored: ${read.why}`);
    const message = read.copy;
    if ((isRequest(message) || isNotification(message)) && this.#options.isEarly(message.method))
      return this.#fault(`${message.method.slice(0, 100)} is ignored: it came before ui/initialize`);
    if (isRequest(message)) {
      log.message("view", message);
      void this.#answer(message);
    } else if (isNotification(message)) {
      log.message("view", message);
      this.#options.onNotification(message.method, message.params ?? {});
    } else if (isResponse(message)) {
      log.message("view", message as RpcResponse & { method?: never });
      this.#settle(message);
    } else this.#fault("a message is ignored: it is no JSON-RPC");
  }

  notify(method: string, params: object): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /** Asks the app. One that is silent for too long is no longer waited for. */
  request(method: string, params: Params, patienceMs: number): Promise<Params> {
    const id = `host-${++this.#ids}`;
    return new Promise<Params>((resolve, reject) => {
      const silence = () => reject(new BiplaneError("TIMEOUT", `the app did not answer ${method} in ${patienceMs} ms`));
      const timer = setTimeout(silence, patienceMs);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#send({ jsonrpc: "2.0", id, method, params });
    }).finally(() => {
      clearTimeout(this.#waiting.get(id)?.timer);
      this.#waiting.delete(id);
    });
  }

  /** The app no longer wants an answer. */
  cancel(id: RpcId): void {
    this.#asked.get(id)?.abort();
    this.#asked.delete(id);
  }

  /** Nothing is sent or taken from now on, and what is under way is given up. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#asked.values()) controller.abort();
    this.#asked.clear();
    for (const { reject } of this.#waiting.values()) reject(new BiplaneError("CANCELLED", "the app is closed"));
  }

  async #answer({ id, method, params }: RpcRequest): Promise<void> {
    if (this.#asked.has(id)) return this.#fail(id, { code: rpcCode.invalidRequest, message: "This id is in use" });
    if (this.#asked.size >= this.#options.limits.callsInFlight)
      return this.#fail(id, { code: rpcCode.server, message: "Too many requests at once: wait for an answer" });
    const controller = new AbortController();
    this.#asked.set(id, controller);
    let reply: { result: Params } | { error: RpcFault };
    try {
      reply = { result: await this.#options.onRequest(method, params ?? {}, controller.signal) };
    } catch (error) {
      reply = { error: faultOf(error) };
    }
    if (this.#asked.get(id) !== controller) return;
    this.#asked.delete(id);
    try {
      this.#send({ jsonrpc: "2.0", id, ...reply });
    } catch (error) {
      this.#fail(id, { code: rpcCode.internal, message: `The answer cannot be sent: ${messageOf(error)}` });
    }
  }

  #settle(response: RpcResponse): void {
    const waiting = this.#waiting.get(response.id);
    if (!waiting) return this.#fault("an answer is ignored: nothing was asked");
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
    // A flood of complaints would be a flood as well.
    if (this.#faults <= 20 || this.#faults % 100 === 0) this.#options.log.remark(`${remark} (${this.#faults})`);
    if (this.#faults > this.#options.limits.faults) this.#options.onTooMuch(`${remark}, ${this.#faults} times`);
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
