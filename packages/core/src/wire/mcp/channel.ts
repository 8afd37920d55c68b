import { chain } from "../../chain.ts";
import type { Channel, ChannelListener } from "../../transport/channel.ts";
import type { Principal } from "../../tool/call.ts";
import { isFault, isModern, modernClient, plainClient } from "./client.ts";
import type { McpClientInfo } from "./client.ts";
import type { Endpoint } from "./endpoint.ts";
import { Exchange, answerMessage } from "./exchange.ts";
import type { McpAnswer, ReplyChannel } from "./exchange.ts";
import { initialize } from "./handshake.ts";
import type { Handshake } from "./handshake.ts";
import { logged } from "./request-log.ts";
import { legacyVersions, rpcCode } from "../../protocol/protocol.ts";
import type { Era } from "../../protocol/protocol.ts";
import { parseMessage } from "../../protocol/parse-message.ts";
import { faultMessage, readMessage } from "../../protocol/rpc.ts";
import type { Incoming, Params, RpcFault, RpcId } from "../../protocol/rpc.ts";
import type { McpSession } from "./session.ts";

export interface ChannelOptions {
  readonly principal: Principal;
  readonly onClosed?: () => void;
}

/** MCP over a message channel: stdio, WebSocket or memory. Both eras may share one channel. */
export class ChannelConnection implements ChannelListener, ReplyChannel {
  readonly #endpoint: Endpoint;
  readonly #principal: Principal;
  readonly #channel: Channel;
  readonly #running = new Map<RpcId, Exchange>();
  readonly #onClosed: () => void;
  #session: McpSession | undefined;
  #open = true;
  #onDrained: (() => void) | undefined;

  constructor(endpoint: Endpoint, channel: Channel, options: ChannelOptions) {
    this.#endpoint = endpoint;
    this.#channel = channel;
    this.#principal = options.principal;
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
    this.#endpoint.resolver?.callers.release(this);
    this.#onClosed();
  }

  /** Resolves when no request is running. Cancels subscriptions, which would never end. */
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
        this.#session?.respond(message.id, message.result, message.error);
        return;
      case "invalid":
        return this.#refuse(message.id, message.fault);
      case "batch":
        return this.#batch(message.messages);
    }
  }

  #request({ id, method, params }: Extract<Incoming, { kind: "request" }>): void {
    if (this.#running.has(id)) return this.#refuse(id, invalidRequest("this id is in use"));
    if (method === "initialize" && !isModern(params)) return this.#initialize(id, params);
    const modern = isModern(params) || method === "server/discover";
    const client = modern ? modernClient(params["_meta"]) : (this.#session?.client ?? plainClient);
    if (isFault(client)) return this.#refuse(id, client);
    this.#serve(this.#exchange(id, method, params, modern ? "modern" : "legacy", client));
  }

  #exchange(id: RpcId, method: string, params: Params, era: Era, client: McpClientInfo): Exchange {
    const session = era === "legacy" ? this.#session : undefined;
    if (session) session.lastUsedAt = Date.now();
    const caller = { era, client, principal: this.#principal, session, episode: undefined, slotKey: session ?? this };
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
    const deliver = (message: string) => this.send(message);
    const opened = initialize(this.#endpoint, params, { principal: this.#principal, deliver });
    void chain(opened, (handshake) => this.#begin({ id, params }, handshake));
  }

  #begin({ id, params }: { id: RpcId; params: Params }, { session, answer }: Handshake): void {
    if (session) {
      this.#endSession();
      this.#session = session;
      session.disconnect = () => this.#channel.close();
    }
    const { requestLog } = this.#endpoint;
    if (requestLog) void logged(requestLog, { id, method: "initialize", params }, () => answer);
    this.#answer(id, this.#endpoint.withoutSecrets(answer));
  }

  #notification(method: string, params: Params): void {
    if (method !== "notifications/cancelled") return;
    const exchange = this.#running.get(params["requestId"] as RpcId);
    exchange?.cancel();
  }

  /** Only 2025-03-26 has batches. Each answer is sent as soon as it is ready. */
  #batch(messages: readonly unknown[]): void {
    const allowed = this.#session?.client.version === legacyVersions[2] && messages.length > 0;
    if (allowed) for (const message of messages) this.#receive(readMessage(message));
    else this.#refuse(null, invalidRequest("batches are not supported"));
  }

  /** Answers what is no request. It counts like one. */
  #refuse(id: RpcId | null, fault: RpcFault): void {
    void chain(this.#endpoint.count({ era: "legacy", principal: this.#principal }), (refused) =>
      this.send(faultMessage(id, this.#endpoint.redactFault(refused?.fault ?? fault))),
    );
  }

  #answer(id: RpcId, answer: McpAnswer): void {
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

function invalidRequest(why: string): RpcFault {
  return { code: rpcCode.invalidRequest, message: `Invalid Request: ${why}` };
}
