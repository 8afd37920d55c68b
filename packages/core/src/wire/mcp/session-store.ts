import type { ServerCore } from "../../server/server-core.ts";
import type { Principal } from "../../tool/call.ts";
import type { McpClientInfo } from "./client.ts";
import type { EvalProtocolExtra } from "./episode-resolver.ts";
import type { McpSession, SessionSettings } from "./session.ts";

/** What another process needs to serve a session. */
export interface StoredSession {
  readonly client: McpClientInfo;
  readonly principal: Principal;
  readonly extra?: EvalProtocolExtra | undefined;
  readonly settings: SessionSettings;
  readonly usedAt: number;
}

/** Sessions of the legacy era in a store that several machines share. */
export class SessionStore {
  readonly #server: ServerCore;
  readonly #idleMs: number;
  #sweptTo = "";

  constructor(server: ServerCore, idleMs: number) {
    this.#server = server;
    this.#idleMs = idleMs;
  }

  /** False if sessions stay in this process. */
  get isUsed(): boolean {
    return this.#server.hasSharedStore;
  }

  async save({ id, client, principal, extra, settings }: McpSession): Promise<void> {
    const record: StoredSession = { client, principal, extra, settings, usedAt: Date.now() };
    await (await this.#server.store()).put(this.#collection, id, { ...record });
    await this.#sweep();
  }

  /** Stores what a client has set, unless another process has ended the session. */
  async saveSettings({ id, settings }: McpSession): Promise<void> {
    const store = await this.#server.store();
    await store.change(this.#collection, id, (record) => record && { ...record, settings, usedAt: Date.now() });
  }

  async load(id: string): Promise<StoredSession | undefined> {
    if (!/^[\da-f-]{36,69}$/.test(id)) return undefined; // not one of ours
    const found = (await (await this.#server.store()).get(this.#collection, id)) as StoredSession | undefined;
    return found && found.usedAt > Date.now() - this.#idleMs ? found : undefined;
  }

  /** Notes that the session is in use. */
  async touch(id: string): Promise<void> {
    const store = await this.#server.store();
    await store.change(this.#collection, id, (record) => record && { ...record, usedAt: Date.now() });
  }

  async remove(id: string): Promise<void> {
    await (await this.#server.store()).delete(this.#collection, id);
  }

  get #collection(): string {
    return `sessions of ${this.#server.name}`;
  }

  /** Deletes idle sessions, 20 records per new session, continuing where the last sweep stopped. */
  async #sweep(): Promise<void> {
    const store = await this.#server.store();
    const page = await store.list(this.#collection, { after: this.#sweptTo, limit: 20 });
    this.#sweptTo = page.length < 20 ? "" : (page.at(-1)?.[0] ?? "");
    for (const [id, session] of page) {
      const { usedAt } = session as unknown as StoredSession;
      if (usedAt < Date.now() - this.#idleMs) await store.delete(this.#collection, id);
    }
  }
}
