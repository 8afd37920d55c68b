import { messageOf, BiplaneError } from "../errors.ts";
import { metaKey } from "../protocol/protocol.ts";
import { isObject } from "../protocol/rpc.ts";
import type { Params, RpcId } from "../protocol/rpc.ts";
import { changeIn } from "./change.ts";
import type { Change } from "./change.ts";
import type { Connection } from "./connection.ts";
import type { Link } from "./link.ts";
import { isLost } from "./lost.ts";

export interface SubscriptionOptions {
  readonly link: Link;
  readonly onWarning: (warning: string) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Who wants to hear of changes, and how the server is made to tell. The older era tells of lists by itself and of
 * resources when subscribed to; the newer one tells what a standing request has asked for.
 */
export class Subscriptions {
  readonly #options: SubscriptionOptions;
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #uris = new Set<string>();
  readonly #closing = new AbortController();
  #listen: Listen | undefined;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
  }

  /** Whether anybody would miss something while there is no connection. */
  get isWanted(): boolean {
    return this.#listeners.size > 0 || this.#uris.size > 0;
  }

  /** Resolves when changes are heard from now on; where the server cannot tell, nothing ever comes. */
  async onChange(listener: (change: Change) => void): Promise<() => void> {
    this.#listeners.add(listener);
    await this.#refresh();
    return () => void this.#listeners.delete(listener);
  }

  async subscribe(uri: string): Promise<void> {
    const connection = await this.#options.link.get();
    if (this.#uris.has(uri)) return;
    if (connection.agreement.era === "legacy") await connection.request("resources/subscribe", { uri });
    this.#uris.add(uri);
    await this.#refresh();
  }

  async unsubscribe(uri: string): Promise<void> {
    if (!this.#uris.delete(uri)) return;
    const connection = await this.#options.link.get();
    if (connection.agreement.era === "legacy") await connection.request("resources/unsubscribe", { uri });
    else await this.#refresh();
  }

  /** Takes a notification of the server; true where it is one of a change. */
  take(method: string, params: Params): boolean {
    const meta = isObject(params["_meta"]) ? params["_meta"] : {};
    const from = meta[metaKey.subscriptionId] as RpcId | undefined;
    if (method === "notifications/subscriptions/acknowledged") this.#listen?.acknowledge(from);
    const change = changeIn(method, params);
    if (change === undefined) return false;
    // Of two standing requests, while one takes over from the other, only one is heard.
    if (from === undefined || this.#listen === undefined || this.#listen.id === from) this.tell(change);
    return true;
  }

  tell(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#options.onWarning(`a listener failed: ${messageOf(error)}`);
      }
    }
  }

  /** After a loss: asks for everything again. What changed in the meantime is not known, so all may have. */
  async restore(connection: Connection): Promise<void> {
    if (!this.isWanted) return;
    this.#listen = undefined;
    if (connection.agreement.era === "legacy") {
      for (const uri of this.#uris) await connection.request("resources/subscribe", { uri });
    } else await this.#refresh();
    for (const change of ["tools", "resources", "prompts"] as const) this.tell(change);
    for (const resource of this.#uris) this.tell({ resource });
  }

  close(): void {
    this.#closing.abort();
    this.#listen?.stop();
  }

  /** Makes the standing request ask for what is wanted now. The old one ends when the new one stands. */
  async #refresh(): Promise<void> {
    const connection = await this.#options.link.get();
    if (connection.agreement.era === "legacy" || this.#closing.signal.aborted) return;
    const before = this.#listen;
    const listen = new Listen(connection, this.#filter());
    this.#listen = listen;
    void listen.ended.then((error) => this.#ended(listen, connection, error));
    await Promise.race([listen.acknowledged, listen.ended]);
    before?.stop();
  }

  #filter(): Params {
    return {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
  }

  async #ended(listen: Listen, connection: Connection, error: unknown): Promise<void> {
    if (listen !== this.#listen || this.#closing.signal.aborted) return;
    this.#listen = undefined;
    if (error instanceof BiplaneError && !isLost(error)) {
      if (error.code !== "NOT_SUPPORTED") this.#options.onWarning(`changes are not heard of: ${error.message}`);
      return;
    }
    try {
      await this.#options.sleep(1000, this.#closing.signal);
      if (this.#options.link.current === connection) await this.restore(connection);
    } catch (failure) {
      if (!this.#closing.signal.aborted) this.#options.onWarning(`changes are not heard of: ${messageOf(failure)}`);
    }
  }
}

/** A standing `subscriptions/listen` request. */
class Listen {
  readonly acknowledged: Promise<void>;
  /** Resolves when it is over, with the error if that is why. */
  readonly ended: Promise<unknown>;
  readonly #stopping = new AbortController();
  #id: RpcId | undefined;
  #tell: () => void = () => undefined;

  constructor(connection: Connection, notifications: Params) {
    this.acknowledged = new Promise((resolve) => {
      this.#tell = resolve;
    });
    const onId = (id: RpcId) => {
      this.#id = id;
    };
    const wire = { timeoutMs: Infinity, signal: this.#stopping.signal, onId };
    this.ended = connection.request("subscriptions/listen", { notifications }, wire).then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  get id(): RpcId | undefined {
    return this.#id;
  }

  acknowledge(id: RpcId | undefined): void {
    if (id === undefined || id === this.#id) this.#tell();
  }

  stop(): void {
    this.#stopping.abort();
  }
}
