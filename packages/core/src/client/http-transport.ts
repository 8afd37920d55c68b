import { BiplaneError } from "../errors.ts";
import { encodeHeader, nameKeys } from "../protocol/header-parameters.ts";
import { metaKey } from "../protocol/protocol.ts";
import type { Era } from "../protocol/protocol.ts";
import { parseMessage } from "../protocol/parse-message.ts";
import { notification, readMessage } from "../protocol/rpc.ts";
import type { Incoming, Params, RpcId } from "../protocol/rpc.ts";
import type { Authorizer } from "./auth/authorizer.ts";
import { httpExchange } from "./http-exchange.ts";
import type { HttpExchangeOptions } from "./http-exchange.ts";
import { HttpStream } from "./http-stream.ts";
import { isConnectionLost, connectionLost } from "./connection-lost.ts";
import type { Transport, TransportListener, TransportRequest, TransportResponse } from "./transport.ts";
import { readText } from "./read-text.ts";
import { errorIn, readResponse, resultIn } from "./response.ts";
import { isRecord } from "../is-record.ts";
import { cutBetweenWords } from "../bounds/cut-between-words.ts";

export interface HttpTransportOptions extends HttpExchangeOptions {
  readonly maxMessageBytes: number;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** Streamable HTTP: one POST per message, answered with JSON or an event stream. */
export class HttpTransport implements Transport {
  readonly #url: string;
  readonly #listener: TransportListener;
  readonly #options: HttpTransportOptions;
  readonly #closing = new AbortController();
  #era: Era | undefined;
  #version: string | undefined;
  #session: string | undefined;
  #authorizing = 0;

  constructor(url: string, listener: TransportListener, options: HttpTransportOptions) {
    this.#url = url;
    this.#listener = listener;
    this.#options = { ...options, authorizer: options.authorizer && this.#counted(options.authorizer) };
  }

  get isAuthorizing(): boolean {
    return this.#authorizing > 0;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const { id, method, params, headers } = request;
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    const repeated = { ...repeatedHeaders(method, params), ...headers };
    try {
      const response = await this.#post({ jsonrpc: "2.0", id, method, params }, repeated, signal);
      if (!response.ok) return await this.#refused(response, method);
      if (method === "initialize") this.#session = response.headers.get("mcp-session-id") ?? undefined;
      if (isEventStream(response)) return await this.#stream(response, id, signal);
      return await this.#json(response, id, method);
    } catch (error) {
      if (request.signal.aborted) this.#cancel(id);
      if (signal.aborted) throw signal.reason;
      throw error;
    }
  }

  async send(message: Params): Promise<void> {
    const response = await this.#post(message, {}, this.#closing.signal);
    await response.body?.cancel();
    if (response.status === 404 && this.#session !== undefined) throw this.#sessionLost();
  }

  agree({ era, version }: { era: Era; version: string }): void {
    this.#era = era;
    this.#version = version;
  }

  /** Opens the legacy GET stream, which carries messages that belong to no request. */
  listen(): void {
    if (this.#era === "legacy") void this.#readGetStream();
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const session = this.#session;
    this.#closing.abort(connectionLost(`The connection to ${this.#url} was closed.`, { delivered: "unknown" }));
    if (session === undefined) return;
    const init = { method: "DELETE", headers: this.#sessionHeaders(), signal: AbortSignal.timeout(2000) };
    await httpExchange(this.#url, init, this.#options).then(
      (response) => response.body?.cancel(),
      () => undefined, // an unreachable server will expire the session by itself
    );
  }

  #post(message: Params, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    const accept = "application/json, text/event-stream";
    const all = { "content-type": "application/json", accept, ...this.#sessionHeaders(), ...headers };
    const init = { method: "POST", headers: all, body: JSON.stringify(message), signal };
    return httpExchange(this.#url, init, this.#options);
  }

  #get(lastEventId: string | undefined, signal: AbortSignal): Promise<Response> {
    const resume: Record<string, string> = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
    const headers = { accept: "text/event-stream", ...this.#sessionHeaders(), ...resume };
    return httpExchange(this.#url, { method: "GET", headers, signal }, this.#options);
  }

  #sessionHeaders(): Record<string, string> {
    return {
      ...(this.#version !== undefined && { "mcp-protocol-version": this.#version }),
      ...(this.#session !== undefined && { "mcp-session-id": this.#session }),
    };
  }

  async #json(response: Response, id: RpcId, method: string): Promise<TransportResponse> {
    const text = await readText(response, this.#options.maxMessageBytes);
    const found = text === "" ? undefined : this.#take(text, id);
    if (found) return found;
    throw new BiplaneError(
      "EXECUTION_ERROR",
      `${this.#url} answered ${method} with status ${response.status} and no result.`,
    );
  }

  /** Reads the response from an event stream. Only legacy streams can be resumed. */
  async #stream(response: Response, id: RpcId, signal: AbortSignal): Promise<TransportResponse> {
    const stream = new HttpStream(this.#options, (lastEventId) => this.#get(lastEventId, signal));
    const isResumable = this.#era !== "modern";
    for await (const data of stream.read(response, { isResumable, signal })) {
      const found = this.#take(data, id);
      if (found) return found;
    }
    throw connectionLost(`The stream from ${this.#url} ended before the response.`, { delivered: "unknown" });
  }

  async #readGetStream(): Promise<void> {
    const { signal } = this.#closing;
    const stream = new HttpStream(this.#options, (lastEventId) => this.#get(lastEventId, signal));
    try {
      const response = await this.#get(undefined, signal);
      if (response.status === 404 && this.#session !== undefined) throw this.#sessionLost();
      if (!response.ok || !isEventStream(response)) return await response.body?.cancel(); // the server offers no GET stream
      for await (const data of stream.read(response, { isResumable: true, isPersistent: true, signal })) {
        this.#take(data, undefined);
      }
    } catch (error) {
      if (!signal.aborted && error instanceof BiplaneError && isConnectionLost(error)) this.#listener.onLost(error);
    }
  }

  /** Counts pending authorizations for `isAuthorizing`. */
  #counted(authorizer: Authorizer): Authorizer {
    return {
      headers: (request) => authorizer.headers(request),
      refused: async (refusal) => {
        this.#authorizing++;
        try {
          return await authorizer.refused(refusal);
        } finally {
          this.#authorizing--;
        }
      },
    };
  }

  /** Handles a message. Returns the response if it answers `id`. */
  #take(text: string, id: RpcId | undefined): TransportResponse | undefined {
    const message = parseMessage(text);
    const all = message.kind === "batch" ? message.messages.map(readMessage) : [message];
    return all.map((each) => this.#receive(each, text, id)).find((found) => found !== undefined);
  }

  #receive(message: Incoming, text: string, id: RpcId | undefined): TransportResponse | undefined {
    if (message.kind === "response") {
      return message.id === id ? readResponse(message.result, message.error) : undefined;
    }
    if (message.kind === "invalid" && message.id !== null && message.id === id)
      return { error: { code: message.fault.code, message: message.fault.message } };
    if (message.kind === "request") this.#listener.onRequest(message.id, message.method, message.params);
    else if (message.kind === "notification") this.#listener.onNotification(message.method, message.params);
    else
      this.#listener.onWarning(`${this.#url} sent something that is not an MCP message: ${cutBetweenWords(text, 200)}`);
    return undefined;
  }

  async #refused(response: Response, method: string): Promise<TransportResponse> {
    const { status } = response;
    const text = await readText(response, 65_536);
    const result = resultIn(text);
    if (result) return { result };
    const error = errorIn(text);
    const isSessionGone = status === 404 || (status === 400 && /session|not initialized/i.test(error?.message ?? ""));
    if (this.#session !== undefined && method !== "initialize" && isSessionGone) throw this.#sessionLost();
    if (error) return { error, status };
    const code = status === 429 ? "RATE_LIMITED" : status === 503 ? "CAPACITY" : "EXECUTION_ERROR";
    const reason = text.trim() === "" ? "." : `: ${cutBetweenWords(text.trim(), 200)}`;
    const wait = response.headers.get("retry-after");
    const details = { status, ...(wait !== null && { retryAfter: wait }) };
    throw new BiplaneError(code, `${this.#url} answered ${method} with status ${status}${reason}`, { details });
  }

  #sessionLost(): BiplaneError {
    return connectionLost(`${this.#url} no longer knows this session.`, { delivered: "refused" });
  }

  /** Modern servers notice the closed connection; legacy servers need a notification. */
  #cancel(id: RpcId): void {
    if (this.#era !== "legacy" || this.#closing.signal.aborted) return;
    const message = notification("notifications/cancelled", { requestId: id, reason: "the caller cancelled" });
    this.send(JSON.parse(message) as Params).catch(() => undefined); // the caller has already given up
  }
}

function isEventStream(response: Response): boolean {
  return response.headers.get("content-type")?.includes("text/event-stream") ?? false;
}

/** Headers in which the modern era repeats parts of the request body. */
function repeatedHeaders(method: string, params: Params): Record<string, string> {
  const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
  const version = meta[metaKey.protocolVersion];
  if (typeof version !== "string") return {};
  const name = params[nameKeys.get(method) ?? ""];
  return {
    "mcp-protocol-version": version,
    "mcp-method": method,
    ...(typeof name === "string" && { "mcp-name": encodeHeader(name) }),
  };
}
