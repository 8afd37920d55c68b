import { messageOf, BiplaneError } from "../errors.ts";
import { metaKey } from "../protocol/protocol.ts";
import type { Params, RpcId } from "../protocol/rpc.ts";
import type { CatalogChange } from "../server/catalog.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { Reconnector } from "./reconnector.ts";
import { isConnectionLost } from "./connection-lost.ts";
import { isRecord } from "../is-record.ts";

export interface SubscriptionOptions {
  readonly reconnector: Reconnector;
  readonly onWarning: (warning: string) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Change listeners and resource subscriptions. Legacy servers report list changes unasked and resource updates after
 * `resources/subscribe`. Modern servers report what a long-running `subscriptions/listen` request asks for.
 */
export class ResourceSubscriptions {
  readonly #options: SubscriptionOptions;
  readonly #listeners = new Set<(change: CatalogChange) => void>();
  readonly #uris = new Set<string>();
  readonly #closing = new AbortController();
  #listen: ListenRequest | undefined;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
  }

  /** True if there are listeners or subscriptions, so that a lost connection must be restored at once. */
  get isWanted(): boolean {
    return this.#listeners.size > 0 || this.#uris.size > 0;
  }

  /** Resolves when changes are being reported. Servers without change notifications report none. */
  async onChange(listener: (change: CatalogChange) => void): Promise<() => void> {
    this.#listeners.add(listener);
    await this.#refresh();
    return () => void this.#listeners.delete(listener);
  }

  async subscribe(uri: string): Promise<void> {
    const connection = await this.#options.reconnector.get();
    if (this.#uris.has(uri)) return;
    if (connection.agreement.era === "legacy") await connection.request("resources/subscribe", { uri });
    this.#uris.add(uri);
    await this.#refresh();
  }

  async unsubscribe(uri: string): Promise<void> {
    if (!this.#uris.delete(uri)) return;
    const connection = await this.#options.reconnector.get();
    if (connection.agreement.era === "legacy") await connection.request("resources/unsubscribe", { uri });
    else await this.#refresh();
  }

  /** Handles a notification. Returns true if it reports a change. */
  handleNotification(method: string, params: Params): boolean {
    const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
    const from = meta[metaKey.subscriptionId] as RpcId | undefined;
    if (method === "notifications/subscriptions/acknowledged") this.#listen?.acknowledge(from);
    const change = changeIn(method, params);
    if (change === undefined) return false;
    // While one listen request replaces another, both report the change: use only the newer one.
    if (from === undefined || this.#listen === undefined || this.#listen.id === from) this.emit(change);
    return true;
  }

  emit(change: CatalogChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#options.onWarning(`A change listener failed: ${messageOf(error)}`);
      }
    }
  }

  /** Subscribes again after a lost connection, and reports everything as changed: missed changes are unknown. */
  async restore(connection: ClientConnection): Promise<void> {
    if (!this.isWanted) return;
    this.#listen = undefined;
    if (connection.agreement.era === "legacy") {
      for (const uri of this.#uris) await connection.request("resources/subscribe", { uri });
    } else await this.#refresh();
    for (const change of ["tools", "resources", "prompts"] as const) this.emit(change);
    for (const resource of this.#uris) this.emit({ resource });
  }

  close(): void {
    this.#closing.abort();
    this.#listen?.stop();
  }

  /** Replaces the listen request. The old one ends only after the new one is acknowledged. */
  async #refresh(): Promise<void> {
    const connection = await this.#options.reconnector.get();
    if (connection.agreement.era === "legacy" || this.#closing.signal.aborted) return;
    const before = this.#listen;
    const listen = new ListenRequest(connection, this.#filter());
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

  async #ended(listen: ListenRequest, connection: ClientConnection, error: unknown): Promise<void> {
    if (listen !== this.#listen || this.#closing.signal.aborted) return;
    this.#listen = undefined;
    if (error instanceof BiplaneError && !isConnectionLost(error)) {
      if (error.code !== "NOT_SUPPORTED") this.#options.onWarning(`Change notifications failed: ${error.message}`);
      return;
    }
    try {
      await this.#options.sleep(1000, this.#closing.signal);
      if (this.#options.reconnector.current === connection) await this.restore(connection);
    } catch (failure) {
      if (!this.#closing.signal.aborted) this.#options.onWarning(`Change notifications failed: ${messageOf(failure)}`);
    }
  }
}

/** One `subscriptions/listen` request. */
class ListenRequest {
  readonly acknowledged: Promise<void>;
  /** Resolves when the request ends, with its error if it failed. */
  readonly ended: Promise<unknown>;
  readonly #stopping = new AbortController();
  #id: RpcId | undefined;
  #onAcknowledged: () => void = () => undefined;

  constructor(connection: ClientConnection, notifications: Params) {
    this.acknowledged = new Promise((resolve) => {
      this.#onAcknowledged = resolve;
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
    if (id === undefined || id === this.#id) this.#onAcknowledged();
  }

  stop(): void {
    this.#stopping.abort();
  }
}

/** The change that a notification reports; undefined for other notifications. */
function changeIn(method: string, params: Params): CatalogChange | undefined {
  if (method === "notifications/resources/updated") {
    return typeof params["uri"] === "string" ? { resource: params["uri"] } : undefined;
  }
  return listChanges.get(method);
}

const listChanges: ReadonlyMap<string, CatalogChange> = new Map([
  ["notifications/tools/list_changed", "tools"],
  ["notifications/resources/list_changed", "resources"],
  ["notifications/prompts/list_changed", "prompts"],
]);
