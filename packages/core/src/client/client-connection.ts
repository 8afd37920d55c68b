import { BiplaneError, messageOf } from "../errors.ts";
import { metaKey, rpcCode, tasksExtension } from "../protocol/protocol.ts";
import type { Era } from "../protocol/protocol.ts";
import type { Params, RpcId } from "../protocol/rpc.ts";
import type { LogLevel } from "../tool/log-level.ts";
import { answerQuestion } from "./answers.ts";
import type { Answers } from "./answers.ts";
import { RequestDeadline } from "./request-deadline.ts";
import type { Transport, TransportListener } from "./transport.ts";
import type { ServerLogMessage, Progress, RequestOptions } from "./options.ts";
import { rpcFailure } from "./response.ts";
import { isRecord } from "../is-record.ts";

/** The negotiated protocol version, and the server's description of itself. */
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
  readonly onLog: ((message: ServerLogMessage) => void) | undefined;
  readonly onNotification: (method: string, params: Params) => void;
  readonly onLost: (connection: ClientConnection, error: BiplaneError) => void;
  readonly onWarning: (warning: string) => void;
}

/** One live connection: sends requests and handles the server's notifications and questions. */
export class ClientConnection implements TransportListener {
  readonly options: ConnectionOptions;
  logLevel: LogLevel | undefined;
  #transport: Transport | undefined;
  #agreement: Agreement | undefined;
  readonly #progress = new Map<RpcId, (progress: Progress) => void>();
  readonly #questions = new Map<RpcId, AbortController>();
  #nextId = 1;

  constructor(options: ConnectionOptions, logLevel: LogLevel | undefined) {
    this.options = options;
    this.logLevel = logLevel;
  }

  get transport(): Transport {
    if (!this.#transport) throw new BiplaneError("INTERNAL", "The connection has no transport yet.");
    return this.#transport;
  }

  set transport(transport: Transport) {
    this.#transport = transport;
  }

  get agreement(): Agreement {
    if (!this.#agreement) throw new BiplaneError("INTERNAL", "No protocol version has been negotiated yet.");
    return this.#agreement;
  }

  agree(agreement: Agreement): void {
    this.#agreement = agreement;
    this.transport.agree(agreement);
  }

  /** Sends one request without retries. `era` is needed only before a version is negotiated. */
  async request(method: string, params: Params, options: WireOptions = {}): Promise<Params> {
    const id = this.#nextId++;
    options.onId?.(id);
    const { onProgress, timeoutMs = this.options.timeoutMs, signal } = options;
    const isPaused = () => this.#questions.size > 0 || this.transport.isAuthorizing === true;
    using deadline = new RequestDeadline(timeoutMs, { what: method, signal, isPaused });
    if (onProgress || options.resetTimeoutOnProgress) {
      this.#progress.set(id, (progress) => {
        if (options.resetTimeoutOnProgress) deadline.extend();
        onProgress?.(progress);
      });
    }
    try {
      const response = await this.transport.request({
        id,
        method,
        params: this.#withMeta(params, id, options),
        headers: options.headers,
        signal: deadline.signal,
      });
      if (response.error) throw rpcFailure(method, response.error, response.status);
      return response.result;
    } catch (error) {
      if (signal?.aborted && !(error instanceof BiplaneError)) {
        throw new BiplaneError("CANCELLED", `${method} was cancelled.`, { cause: error });
      }
      throw error;
    } finally {
      this.#progress.delete(id);
    }
  }

  async notify(method: string, params: Params): Promise<void> {
    await this.transport.send({ jsonrpc: "2.0", method, params });
  }

  /** An error in a listener becomes a warning, so that it cannot break the connection. */
  onNotification(method: string, params: Params): void {
    try {
      this.#dispatch(method, params);
    } catch (error) {
      this.options.onWarning(`A listener for ${method} failed: ${messageOf(error)}`);
    }
  }

  /** Legacy servers ask questions with requests of their own. */
  onRequest(id: RpcId, method: string, params: Params): void {
    void this.#answer(id, method, params)
      .then((reply) => reply && this.transport.send({ jsonrpc: "2.0", id, ...reply }))
      .catch((error: unknown) =>
        this.options.onWarning(`The response to ${method} was not delivered: ${messageOf(error)}`),
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
    await this.#transport?.close();
  }

  #dispatch(method: string, params: Params): void {
    if (method === "notifications/progress") {
      this.#progress.get(params["progressToken"] as RpcId)?.(params as unknown as Progress);
    } else if (method === "notifications/message") this.options.onLog?.(params as unknown as ServerLogMessage);
    else if (method === "notifications/cancelled") this.#questions.get(params["requestId"] as RpcId)?.abort();
    this.options.onNotification(method, params);
  }

  async #answer(id: RpcId, method: string, params: Params): Promise<Params | undefined> {
    if (method === "ping") return { result: {} };
    const question = new AbortController();
    this.#questions.set(id, question);
    try {
      const result = await answerQuestion(this.options.answers, { method, params }, question.signal);
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
    const all: Params = {
      ...(era === "modern" && {
        [metaKey.protocolVersion]: options.version ?? this.#agreement?.version,
        [metaKey.clientInfo]: clientInfo,
        [metaKey.clientCapabilities]: options.tasks === false ? withoutTasks(capabilities.modern) : capabilities.modern,
        ...(this.logLevel && { [metaKey.logLevel]: this.logLevel }),
      }),
      ...meta,
      ...(isRecord(params["_meta"]) ? params["_meta"] : {}),
      ...options.meta,
      ...(this.#progress.has(id) && { progressToken: id }),
    };
    return Object.keys(all).length > 0 ? { ...params, _meta: all } : params;
  }
}

function withoutTasks({ extensions, ...capabilities }: Params): Params {
  const { [tasksExtension]: _, ...rest } = isRecord(extensions) ? extensions : {};
  return Object.keys(rest).length > 0 ? { ...capabilities, extensions: rest } : capabilities;
}

/** How to send one request. */
export interface WireOptions extends RequestOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly era?: Era;
  readonly version?: string;
  /** Receives the JSON-RPC id of the request. */
  readonly onId?: (id: RpcId) => void;
}
