import type { Channel, ChannelListener } from "../../transport/channel.ts";
import type { Principal } from "../../tool/call.ts";
import { isFault, isModern, modernClient, plainClient } from "./client.ts";
import type { Client } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";
import { Exchange, answerMessage } from "./exchange.ts";
import type { Answer, Line } from "./exchange.ts";
import { initialize } from "./handshake.ts";
import { logged } from "./request-log.ts";
import { legacyVersions, rpcCode } from "../../protocol/protocol.ts";
import type { Era } from "../../protocol/protocol.ts";
import { faultMessage, parseMessage, readMessage } from "../../protocol/rpc.ts";
import type { Incoming, Params, RpcId } from "../../protocol/rpc.ts";
import type { Session } from "./session.ts";

export interface ChannelOptions {
  readonly principal: Principal;
  /** Whether the pipe is this process's own, so that all that comes over it belongs together. */
  readonly isProcess?: boolean;
  readonly onClosed?: () => void;
}

/** MCP over a pipe: standard streams, a WebSocket, memory. Requests of both eras may come over the same one. */
export class ChannelConnection implements ChannelListener, Line {
  readonly #endpoint: Endpoint;
  readonly #principal: Principal;
  readonly #channel: Channel;
  readonly #running = new Map<RpcId, Exchange>();
  readonly #onClosed: () => void;
  readonly #isProcess: boolean;
  #session: Session | undefined;
  #open = true;
  #onDrained: (() => void) | undefined;

  constructor(endpoint: Endpoint, channel: Channel, options: ChannelOptions) {
    this.#endpoint = endpoint;
    this.#channel = channel;
    this.#principal = options.principal;
    this.#isProcess = options.isProcess ?? false;
    this.#onClosed = options.onClosed ?? (() => undefined);
  }

  onMessage(text: string): void {
    this.#receive(parseMessage(text));
  }

  onOversize(): void {
    this.send(faultMessage(null, { code: rpcCode.parse, message: "Parse error: the message is too long" }));
  }

  onClose(): void {
    if (!this.#open) return;
    this.#open = false;
    for (const exchange of this.#running.values()) exchange.cancel();
    this.#endSession();
    this.#endpoint.seating?.leave(this);
    this.#onClosed();
  }

  /** Resolves when nothing is running any more. Subscriptions do not count: they would run for ever. */
  drained(): Promise<void> {
    for (const exchange of this.#running.values()) if (exchange.method === "subscriptions/listen") exchange.cancel();
    return this.#running.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#onDrained = resolve;
        });
  }

  #receive(message: Incoming): void {
    switch (message.kind) {
      case "request":
        return this.#request(message);
      case "notification":
        return this.#notification(message.method, message.params);
      case "response":
        return this.#session?.respond(message.id, message.result, message.error);
      case "invalid":
        return this.send(faultMessage(message.id, message.fault));
      case "batch":
        return this.#batch(message.messages);
    }
  }

  #request({ id, method, params }: Extract<Incoming, { kind: "request" }>): void {
    if (this.#running.has(id)) {
      return this.send(
        faultMessage(id, { code: rpcCode.invalidRequest, message: "Invalid Request: this id is in use" }),
      );
    }
    if (method === "initialize" && !isModern(params)) return this.#initialize(id, params);
    const modern = isModern(params) || method === "server/discover";
    const client = modern ? modernClient(params["_meta"]) : (this.#session?.client ?? plainClient);
    if (isFault(client)) return this.send(faultMessage(id, client));
    this.#serve(this.#exchange(id, method, params, modern ? "modern" : "legacy", client));
  }

  #exchange(id: RpcId, method: string, params: Params, era: Era, client: Client): Exchange {
    const session = era === "legacy" ? this.#session : undefined;
    if (session) session.lastUsedAt = Date.now();
    const seatKey = session ?? (era === "legacy" || this.#isProcess ? this : undefined);
    const caller = { era, client, principal: this.#principal, session, episode: undefined, seatKey };
    return new Exchange({ id, method, params }, caller, this);
  }

  #serve(exchange: Exchange): void {
    const answer = this.#endpoint.handle(exchange);
    if (!(answer instanceof Promise)) return this.#answer(exchange.id, answer);
    this.#running.set(exchange.id, exchange);
    void answer.then((late) => {
      this.#running.delete(exchange.id);
      this.#answer(exchange.id, late);
      if (this.#running.size === 0) this.#onDrained?.();
    });
  }

  #initialize(id: RpcId, params: Params): void {
    const { session, answer } = initialize(this.#endpoint, params, this.#principal, (message) => this.send(message));
    if (session) {
      this.#endSession();
      this.#session = session;
      session.hangUp = () => this.#channel.close();
    }
    const { requestLog } = this.#endpoint;
    if (requestLog) void logged(requestLog, { id, method: "initialize", params }, () => answer);
    this.#answer(id, answer);
  }

  #notification(method: string, params: Params): void {
    if (method !== "notifications/cancelled") return;
    const exchange = this.#running.get(params["requestId"] as RpcId);
    exchange?.cancel();
  }

  /** Only one old revision has batches; it gets its answers one by one, as they come. */
  #batch(messages: readonly unknown[]): void {
    const allowed = this.#session?.client.version === legacyVersions[2] && messages.length > 0;
    if (allowed) for (const message of messages) this.#receive(readMessage(message));
    else
      this.send(
        faultMessage(null, { code: rpcCode.invalidRequest, message: "Invalid Request: batches are not supported" }),
      );
  }

  #answer(id: RpcId, answer: Answer): void {
    const message = answerMessage(id, answer);
    if (message !== undefined) this.send(message);
  }

  send(message: string): void {
    if (this.#open) this.#channel.send(message);
  }

  #endSession(): void {
    if (!this.#session) return;
    this.#endpoint.sessions.delete(this.#session);
    this.#session.close();
  }
}
