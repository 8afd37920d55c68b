import { randomUUID } from "node:crypto";
import type { TakeToken } from "../call/token-bucket.ts";
import type { CatalogChange } from "./catalog.ts";
import type { Fleet } from "./fleet.ts";
import { shareChanges } from "./share-changes.ts";
import type { SharedChanges } from "./share-changes.ts";

/** A server as one of several processes, or as the only one. */
export class FleetMember {
  readonly #ownId = randomUUID();
  readonly #listeners = new Set<(change: CatalogChange) => void>();
  #fleet: Fleet | undefined;
  #takeToken: TakeToken | undefined;

  /** Undefined if this process is the only one. */
  get fleet(): Fleet | undefined {
    return this.#fleet;
  }

  /** Takes tokens from the buckets that all processes share. */
  get takeToken(): TakeToken | undefined {
    return this.#takeToken;
  }

  get processId(): string {
    return this.#fleet?.processId ?? this.#ownId;
  }

  async isRunning(processId: string): Promise<boolean> {
    return processId === this.processId || ((await this.#fleet?.isRunning(processId)) ?? false);
  }

  join(fleet: Fleet, server: Omit<SharedChanges, "onChange">): void {
    this.#fleet = fleet;
    this.#takeToken = (key, rate) => fleet.takeToken(`${server.name} ${key}`, rate);
    const onChange = (change: CatalogChange) => {
      for (const listener of this.#listeners) listener(change);
    };
    shareChanges(fleet, { ...server, onChange });
  }

  /** Calls the listener after each change in another process. */
  onChangeElsewhere(listener: (change: CatalogChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
