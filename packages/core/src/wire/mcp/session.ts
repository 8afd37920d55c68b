import { randomUUID } from "node:crypto";
import { chargedTo } from "../../call/caller-of.ts";
import type { Share } from "../../call/shares.ts";
import { BiplaneError } from "../../errors.ts";
import type { Principal } from "../../tool/call.ts";
import type { LogLevel } from "../../tool/log-level.ts";
import type { McpClientInfo } from "./client.ts";
import type { EvalProtocolExtra } from "./episode-resolver.ts";
import type { Exchange, ReplyChannel } from "./exchange.ts";
import type { Params, RpcId } from "../../protocol/rpc.ts";
import { subscriptionBytes } from "./subscriptions.ts";
import { isRecord } from "../../is-record.ts";

/** A session of the legacy era, from its `initialize` handshake on. */
export class McpSession {
  readonly id: string;
  /** What Eval Protocol's client said about itself. */
  extra: EvalProtocolExtra | undefined;
  readonly principal: Principal;
  readonly client: McpClientInfo;
  /** URIs that the client subscribed to. */
  readonly #subscriptions = new Set<string>();
  readonly #subscriptionShare: Share;
  #subscriptionLength = 0;
  readonly running = new Map<RpcId, Exchange>();
  logLevel: LogLevel = "info";
  /** Called after the client has set something. The transport replaces this. */
  onSettings: () => Promise<void> | undefined = () => undefined;
  readonly openedAt = Date.now();
  lastUsedAt = this.openedAt;
  /** Ends the session from the server's side. The transport replaces this. */
  disconnect: () => void = () => this.close();
  /** Sends messages that belong to no request. */
  readonly #deliver: (message: string) => void;
  readonly #waiting = new Map<RpcId, Waiting>();
  readonly #closers: ((isLeft: boolean) => void)[] = [];
  readonly #requestPrefix: string;
  #nextId = 1;

  constructor(client: McpClientInfo, principal: Principal, { deliver, id, newId }: McpSessionOptions) {
    this.id = id ?? newId?.() ?? randomUUID();
    // The process that began the session sends requests too.
    this.#requestPrefix = id === undefined ? "biplane" : `biplane-${randomUUID().slice(0, 8)}`;
    this.client = client;
    this.principal = principal;
    this.#deliver = deliver;
    this.#subscriptionShare = subscriptionBytes.open(chargedTo(principal));
  }

  isSubscribed(uri: string): boolean {
    return this.#subscriptions.has(uri);
  }

  /** Returns the error if the caller has too many. */
  subscribe(uri: string): BiplaneError | undefined {
    if (this.#subscriptions.has(uri)) return undefined;
    const full = this.#subscriptionShare.resize(this.#subscriptionLength + uri.length + uriOverhead);
    if (full) return full;
    this.#subscriptionLength += uri.length + uriOverhead;
    this.#subscriptions.add(uri);
    return undefined;
  }

  unsubscribe(uri: string): void {
    if (!this.#subscriptions.delete(uri)) return;
    this.#subscriptionLength -= uri.length + uriOverhead;
    this.#subscriptionShare.resize(this.#subscriptionLength);
  }

  deliver(message: string): void {
    this.#deliver(message);
  }

  /** Sends the client a request over `channel` and waits for its response. */
  request(method: string, params: Params, channel: ReplyChannel): Promise<unknown> {
    const id = `${this.#requestPrefix}-${this.#nextId++}`;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new BiplaneError("TIMEOUT", `The client did not answer ${method} within ${answerWithinMs} ms`));
      }, answerWithinMs);
      this.#waiting.set(id, { resolve, reject, timer, method });
      channel.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    });
  }

  /** What other processes must know to serve it like this one. */
  get settings(): SessionSettings {
    return { logLevel: this.logLevel, subscriptions: [...this.#subscriptions] };
  }

  /** Takes over the settings that another process has stored. */
  restore({ logLevel, subscriptions }: SessionSettings): void {
    this.logLevel = logLevel;
    const wanted = new Set(subscriptions);
    for (const uri of this.#subscriptions) if (!wanted.has(uri)) this.unsubscribe(uri);
    for (const uri of wanted) this.subscribe(uri);
  }

  /** Settles a pending request. False if there is none with this id. */
  respond(id: RpcId, result: unknown, error: unknown): boolean {
    const waiting = this.#waiting.get(id);
    if (!waiting) return false;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new BiplaneError("EXECUTION_ERROR", `The client refused ${waiting.method}: ${reason(error)}`));
    return true;
  }

  /** `isLeft` is true if another process continues the session. */
  onClose(listener: (isLeft: boolean) => void): void {
    this.#closers.push(listener);
  }

  /** Cancels running requests and rejects pending ones. */
  close(isLeft = false): void {
    for (const exchange of this.running.values()) exchange.cancel();
    this.running.clear();
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new BiplaneError("CANCELLED", "The client disconnected"));
    }
    this.#waiting.clear();
    this.#subscriptions.clear();
    this.#subscriptionShare.release();
    for (const closer of this.#closers.splice(0)) closer(isLeft);
  }
}

/** What a client has set in its session. */
export interface SessionSettings {
  readonly logLevel: LogLevel;
  /** URIs. */
  readonly subscriptions: readonly string[];
}

export interface McpSessionOptions {
  /** Sends messages that belong to no request. */
  readonly deliver: (message: string) => void;
  /** That of a session which another process began (default: a new one). */
  readonly id?: string;
  /** Makes the id of a new session (default: random). */
  readonly newId?: (() => string) | undefined;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: BiplaneError) => void;
  readonly timer: NodeJS.Timeout;
  readonly method: string;
}

/** What an entry takes besides its text. */
const uriOverhead = 100;
/** Ten minutes, because a person may be filling in a form. */
const answerWithinMs = 600_000;

function reason(error: unknown): string {
  return isRecord(error) && typeof error["message"] === "string" ? error["message"] : "no reason given";
}
