import { BiplaneError, messageOf } from "../errors.ts";
import { metaKey, rpcCode } from "../protocol/protocol.ts";
import type { Era } from "../protocol/protocol.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Params, RpcId } from "../protocol/rpc.ts";
import type { LogLevel } from "../tool/call.ts";
import { answer } from "./answers.ts";
import type { Answers } from "./answers.ts";
import { Deadline } from "./deadline.ts";
import type { Line, LineListener } from "./line.ts";
import type { LogLine, Progress, RequestOptions } from "./options.ts";
import { refusal } from "./response.ts";

/** What both sides have agreed on, and what the server said of itself. */
export interface Agreement {
  readonly era: Era;
  readonly version: string;
  readonly serverInfo: Params;
  readonly capabilities: Params;
  readonly instructions: string | undefined;
}

export interface ConnectionOptions {
  readonly clientInfo: Params;
  readonly capabilities: Readonly<Record<Era, Params>>;
  readonly answers: Answers;
  readonly meta: Params;
  readonly timeoutMs: number;
  readonly onLog: ((line: LogLine) => void) | undefined;
  readonly onNotification: (method: string, params: Params) => void;
  readonly onLost: (connection: Connection, error: BiplaneError) => void;
  readonly onWarning: (warning: string) => void;
}

/** One live connection: requests out, answers in, and what the server says or asks in between. */
export class Connection implements LineListener {
  readonly options: ConnectionOptions;
  logLevel: LogLevel | undefined;
  #line: Line | undefined;
  #agreement: Agreement | undefined;
  readonly #progress = new Map<RpcId, (progress: Progress) => void>();
  readonly #questions = new Map<RpcId, AbortController>();
  #nextId = 1;

  constructor(options: ConnectionOptions, logLevel: LogLevel | undefined) {
    this.options = options;
    this.logLevel = logLevel;
  }

  get line(): Line {
    if (!this.#line) throw new BiplaneError("INTERNAL", "the connection has no line yet");
    return this.#line;
  }

  set line(line: Line) {
    this.#line = line;
  }

  get agreement(): Agreement {
    if (!this.#agreement) throw new BiplaneError("INTERNAL", "nothing has been agreed on yet");
    return this.#agreement;
  }

  agree(agreement: Agreement): void {
    this.#agreement = agreement;
    this.line.agree(agreement);
  }

  /** One request and its answer; nothing is retried here. `era` is what to speak while nothing is agreed yet. */
  async request(method: string, params: Params, options: WireOptions = {}): Promise<Params> {
    const id = this.#nextId++;
    options.onId?.(id);
    const { onProgress, timeoutMs = this.options.timeoutMs, signal } = options;
    const isPaused = () => this.#questions.size > 0 || this.line.isHeld === true;
    using deadline = new Deadline(timeoutMs, { what: method, signal, isPaused });
    if (onProgress || options.resetTimeoutOnProgress) {
      this.#progress.set(id, (progress) => {
        if (options.resetTimeoutOnProgress) deadline.extend();
        onProgress?.(progress);
      });
    }
    try {
      const said = this.#withMeta(params, id, options);
      const response = await this.line.request({
        id,
        method,
        params: said,
        headers: options.headers,
        signal: deadline.signal,
      });
      if (response.error) throw refusal(method, response.error, response.status);
      return response.result;
    } catch (error) {
      if (signal?.aborted && !(error instanceof BiplaneError)) {
        throw new BiplaneError("CANCELLED", `${method} was cancelled`, { cause: error });
      }
      throw error;
    } finally {
      this.#progress.delete(id);
    }
  }

  async notify(method: string, params: Params): Promise<void> {
    await this.line.send({ jsonrpc: "2.0", method, params });
  }

  /** What listeners throw is their affair, not the connection's. */
  onNotification(method: string, params: Params): void {
    try {
      this.#hear(method, params);
    } catch (error) {
      this.options.onWarning(`a listener for ${method} failed: ${messageOf(error)}`);
    }
  }

  /** The older era's server asks over the open connection. */
  onRequest(id: RpcId, method: string, params: Params): void {
    void this.#answer(id, method, params)
      .then((reply) => reply && this.line.send({ jsonrpc: "2.0", id, ...reply }))
      .catch((error: unknown) =>
        this.options.onWarning(`the answer to ${method} was not delivered: ${messageOf(error)}`),
      );
  }

  onLost(error: BiplaneError): void {
    this.options.onLost(this, error);
  }

  onWarning(warning: string): void {
    this.options.onWarning(warning);
  }

  async close(): Promise<void> {
    for (const question of this.#questions.values()) question.abort();
    await this.#line?.close();
  }

  #hear(method: string, params: Params): void {
    if (method === "notifications/progress") {
      this.#progress.get(params["progressToken"] as RpcId)?.(params as unknown as Progress);
    } else if (method === "notifications/message") this.options.onLog?.(params as unknown as LogLine);
    else if (method === "notifications/cancelled") this.#questions.get(params["requestId"] as RpcId)?.abort();
    this.options.onNotification(method, params);
  }

  async #answer(id: RpcId, method: string, params: Params): Promise<Params | undefined> {
    if (method === "ping") return { result: {} };
    const question = new AbortController();
    this.#questions.set(id, question);
    try {
      const result = await answer(this.options.answers, { method, params }, question.signal);
      return question.signal.aborted ? undefined : { result };
    } catch (error) {
      if (question.signal.aborted) return undefined;
      const isUnknown = error instanceof BiplaneError && error.code === "NOT_SUPPORTED";
      const code = isUnknown ? rpcCode.methodNotFound : rpcCode.internal;
      return { error: { code, message: messageOf(error) } };
    } finally {
      this.#questions.delete(id);
    }
  }

  #withMeta(params: Params, id: RpcId, options: WireOptions): Params {
    const { clientInfo, capabilities, meta } = this.options;
    const era = options.era ?? this.agreement.era;
    const said: Params = {
      ...(era === "modern" && {
        [metaKey.protocolVersion]: options.version ?? this.#agreement?.version,
        [metaKey.clientInfo]: clientInfo,
        [metaKey.clientCapabilities]: capabilities.modern,
        ...(this.logLevel && { [metaKey.logLevel]: this.logLevel }),
      }),
      ...meta,
      ...(isObject(params["_meta"]) ? params["_meta"] : {}),
      ...options.meta,
      ...(this.#progress.has(id) && { progressToken: id }),
    };
    return Object.keys(said).length > 0 ? { ...params, _meta: said } : params;
  }
}

/** How one request goes over the wire. */
export interface WireOptions extends RequestOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly era?: Era;
  readonly version?: string;
  /** Told the id under which the request goes out. */
  readonly onId?: (id: RpcId) => void;
}
