import { randomUUID } from "node:crypto";
import type { Fleet, FleetMessage, Rate } from "@biplane/core/internal";
import { RepeatedWork } from "../store/repeated-work.ts";
import type { SqlStore } from "../store/sql-store.ts";
import type { ProcessRow } from "../store/tables.ts";
import { FleetMessages } from "./fleet-messages.ts";
import { addProcess, findProcess, givenUpAfterMs, removeProcess, renewProcess } from "./processes.ts";
import type { ProcessLoad } from "./processes.ts";
import { SharedBuckets } from "./shared-buckets.ts";
import { StoredStreamEvents } from "./stored-stream-events.ts";

export interface FleetOptions extends Pick<ProcessRow, "kind" | "name" | "version"> {
  readonly store: SqlStore;
  /** Signs what processes send each other. All of them have the same. */
  readonly key: string;
  readonly load: () => ProcessLoad;
  readonly onFault: (fault: unknown, where: string) => void;
}

/** Joins the processes that use the same Postgres database. */
export async function joinFleet(options: FleetOptions): Promise<StoreFleet> {
  const fleet = new StoreFleet(options);
  await fleet.join();
  return fleet;
}

/** A process among those that use the same database. */
export class StoreFleet implements Fleet, AsyncDisposable {
  processId: string = randomUUID();
  readonly key: string;
  readonly streamEvents: StoredStreamEvents;
  readonly #options: FleetOptions;
  readonly #messages: FleetMessages;
  readonly #buckets: SharedBuckets;
  readonly #listeners = new Map<string, Set<(data: unknown) => void>>();
  readonly #whenReplaced: ((formerId: string) => void)[] = [];
  /** Processes that were found running, until this is checked again. */
  readonly #known = new Map<string, { readonly address: string | undefined; readonly until: number }>();
  #address: string | null = null;
  /** When the last successful renewal began, by the local monotonic clock. */
  #renewedAt = 0;
  #lastMessageAt = -Infinity;
  #reads = 0;
  readonly #repeated: RepeatedWork[] = [];

  constructor(options: FleetOptions) {
    this.#options = options;
    this.key = options.key;
    this.#messages = new FleetMessages(options.store);
    this.#buckets = new SharedBuckets(options.store);
    this.streamEvents = new StoredStreamEvents(options.store);
  }

  /** Adds this process to the others. */
  async join(): Promise<void> {
    await this.#add();
    await this.#messages.read(this.processId);
    this.#every(renewEveryMs, () => this.#renew());
    this.#every(readEveryMs, () => this.#read());
    this.#every(cleanEveryMs, () => this.#clean());
  }

  /** Tells the others where to reach this process. */
  async listenAt(address: string): Promise<void> {
    this.#address = address;
    await this.#options.store.db.updateTable("processes").set({ address }).where("id", "=", this.processId).execute();
  }

  /** The margin is for requests on their way and for clocks that run at different speeds. */
  get isTrusted(): boolean {
    return performance.now() - this.#renewedAt < givenUpAfterMs - marginMs;
  }

  async isRunning(processId: string): Promise<boolean> {
    return (await this.#find(processId)) !== undefined;
  }

  async addressOf(processId: string): Promise<string | undefined> {
    return (await this.#find(processId))?.address;
  }

  send(message: FleetMessage): Promise<void> {
    this.#lastMessageAt = performance.now(); // An answer may come.
    return this.#messages.send(this.processId, message);
  }

  receive(topic: string, listener: (data: unknown) => void): () => void {
    let listeners = this.#listeners.get(topic);
    if (!listeners) this.#listeners.set(topic, (listeners = new Set()));
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  onReplaced(listener: (formerId: string) => void): void {
    this.#whenReplaced.push(listener);
  }

  takeToken(key: string, rate: Rate): number | Promise<number> {
    return this.#buckets.take(key, rate);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#repeated.map((each) => each[Symbol.asyncDispose]()));
    await removeProcess(this.#options.store, this.processId).catch(() => undefined); // It is given up soon.
  }

  async #find(processId: string): Promise<{ readonly address: string | undefined } | undefined> {
    const known = this.#known.get(processId);
    if (known && performance.now() < known.until) return known;
    const found = await findProcess(this.#options.store, processId);
    if (!found) {
      this.#known.delete(processId);
      return undefined;
    }
    const fresh = { address: found.address ?? undefined, until: performance.now() + knownForMs };
    this.#known.set(processId, fresh);
    return fresh;
  }

  async #add(id = this.processId): Promise<void> {
    const { store, kind, name, version, load } = this.#options;
    const at = performance.now();
    await addProcess(store, { id, kind, name, version, address: this.#address, load: load() });
    this.#renewedAt = at;
  }

  async #renew(): Promise<void> {
    const at = performance.now();
    if (await renewProcess(this.#options.store, this.processId, this.#options.load())) {
      this.#renewedAt = at;
      return;
    }
    const formerId = this.processId;
    const id = randomUUID();
    await this.#add(id);
    this.processId = id;
    for (const listener of this.#whenReplaced) listener(formerId);
  }

  /** Messages come in bursts. While none come, they are read less often, so that an idle fleet costs its database little. */
  async #read(): Promise<void> {
    const isQuiet = performance.now() - this.#lastMessageAt > quietAfterMs;
    if (isQuiet && this.#reads++ % quietPace !== 0) return;
    const messages = await this.#messages.read(this.processId);
    if (messages.length > 0) this.#lastMessageAt = performance.now();
    for (const { topic, data } of messages)
      for (const listener of this.#listeners.get(topic) ?? []) this.#tell(listener, data);
  }

  #tell(listener: (data: unknown) => void, data: unknown): void {
    try {
      listener(data);
    } catch (fault) {
      this.#options.onFault(fault, "A message of another process");
    }
  }

  async #clean(): Promise<void> {
    await this.#messages.deleteOld();
    await this.streamEvents.deleteOld();
  }

  /** An outage of the database is reported once. */
  #every(everyMs: number, work: () => Promise<void>): void {
    const repeated = new RepeatedWork(work, {
      everyMs,
      onFault: (fault, isRepeated) => isRepeated || this.#options.onFault(fault, "The fleet"),
    });
    this.#repeated.push(repeated);
  }
}

const renewEveryMs = 1000;
const readEveryMs = 50;
/** After this long without a message, only every fourth read is made. */
const quietAfterMs = 2000;
const quietPace = 4;
const cleanEveryMs = 30_000;
const marginMs = 3000;
/** Less than it takes to give a process up, so that what is known is never long out of date. */
const knownForMs = 500;
