import type { NumberedDecision } from "../../governance/approvals/approval-records.ts";
import type { LiveEvents } from "./event-api.ts";

/** Events that are published as they happen. Calls are not among them: readers sample the call log. */
export type LiveEvent = Omit<LiveEvents, "calls" | "figures">;

export type LiveTopic = keyof LiveEvent;

export interface LiveBusOptions {
  /** Minimum time between two events of a topic (default: 200). */
  readonly everyMs?: number;
  /** How long published events stay available to new readers (default: 2000). */
  readonly recentMs?: number;
}

/**
 * Publishes changes to readers: `bus.publish("episodes", { changed: [id] })`. Frequent events are merged. New readers
 * can get the most recent ones.
 */
export class LiveBus {
  readonly #everyMs: number;
  readonly #recentMs: number;
  readonly #listeners = new Map<LiveTopic, Set<(data: LiveEvent[LiveTopic]) => void>>();
  /** Topics within their minimum interval, with the data that has come since. */
  readonly #resting = new Map<LiveTopic, { data: LiveEvent[LiveTopic] | undefined; readonly timer: NodeJS.Timeout }>();

  readonly #recent = new Map<LiveTopic, { readonly at: number; data: LiveEvent[LiveTopic] }[]>();

  constructor({ everyMs = 200, recentMs = 2000 }: LiveBusOptions = {}) {
    this.#everyMs = everyMs;
    this.#recentMs = recentMs;
  }

  publish<Topic extends LiveTopic>(topic: Topic, data: LiveEvent[Topic]): void {
    this.#remember(topic, data);
    if (!this.#listeners.has(topic)) return;
    const resting = this.#resting.get(topic);
    if (resting) resting.data = resting.data ? merge(resting.data, data) : data;
    else this.#send(topic, data);
  }

  /** Subscribes to a topic. Returns an unsubscribe function. */
  subscribe<Topic extends LiveTopic>(topic: Topic, listener: (data: LiveEvent[Topic]) => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    listeners.add(listener as (data: LiveEvent[LiveTopic]) => void);
    return () => {
      listeners.delete(listener as (data: LiveEvent[LiveTopic]) => void);
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
    };
  }

  /** Recently published data, merged. Undefined if there is none. */
  recent<Topic extends LiveTopic>(topic: Topic): LiveEvent[Topic] | undefined {
    const all = this.#recentOf(topic).map(({ data }) => data);
    return all.length === 0 ? undefined : (all.reduce(merge) as LiveEvent[Topic]);
  }

  /** True if the topic has subscribers. Check it before expensive work. */
  hasSubscribers(topic: LiveTopic): boolean {
    return this.#listeners.has(topic);
  }

  close(): void {
    for (const { timer } of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
    this.#listeners.clear();
  }

  #remember(topic: LiveTopic, data: LiveEvent[LiveTopic]): void {
    const recent = this.#recentOf(topic);
    const last = recent.at(-1);
    if (last && performance.now() - last.at < this.#everyMs) last.data = merge(last.data, data);
    else recent.push({ at: performance.now(), data });
    this.#recent.set(topic, recent);
  }

  #recentOf(topic: LiveTopic) {
    const since = performance.now() - this.#recentMs;
    return this.#recent.get(topic)?.filter(({ at }) => at > since) ?? [];
  }

  #send(topic: LiveTopic, data: LiveEvent[LiveTopic]): void {
    const timer = setTimeout(() => this.#resume(topic), this.#everyMs).unref();
    this.#resting.set(topic, { data: undefined, timer });
    for (const listener of this.#listeners.get(topic) ?? []) listener(data);
  }

  #resume(topic: LiveTopic): void {
    const data = this.#resting.get(topic)?.data;
    this.#resting.delete(topic);
    if (data) this.#send(topic, data);
  }
}

/** Merges two events: the later one, or the ids of both. Too many ids become an empty list. */
function merge(before: LiveEvent[LiveTopic], data: LiveEvent[LiveTopic]): LiveEvent[LiveTopic] {
  if ("answered" in before && "answered" in data)
    return { ...data, answered: [...new Set([...before.answered, ...data.answered])].slice(-maxIds) };
  if (!("changed" in before && "changed" in data)) return data;
  if (before.changed.length === 0 || data.changed.length === 0) return { changed: [] };
  const changed = [...new Set([...before.changed, ...data.changed])];
  return { changed: boundedIds(changed) };
}

/** Too many ids become an empty list, which tells readers to reload everything. */
export function boundedIds(changed: readonly string[]): readonly string[] {
  return changed.length > maxIds ? [] : changed;
}

const maxIds = 50;

export interface WaitingApprovals {
  waiting(): Promise<number>;
  newestAnswers(limit: number): Promise<readonly NumberedDecision[]>;
  onChange(listener: () => void): () => void;
}

/** Publishes the number of waiting calls and the answered ones, while at least one reader watches. */
export class ApprovalWatch {
  readonly #approvals: WaitingApprovals | undefined;
  readonly #bus: LiveBus;
  readonly #pollMs: number;
  #watchers = 0;
  #stop: (() => void) | undefined;
  #published: number | undefined;
  /** The numbers of the last decisions. Undefined before the first look. */
  #seen: ReadonlySet<number> | undefined;

  constructor(approvals: WaitingApprovals | undefined, bus: LiveBus, pollMs = 2000) {
    this.#approvals = approvals;
    this.#bus = bus;
    this.#pollMs = pollMs;
  }

  /** Starts watching. Returns a function that stops it. */
  watch(): () => void {
    if (this.#watchers++ === 0) this.#start();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#watchers === 0) this.#stop?.();
    };
  }

  #start(): void {
    if (!this.#approvals) return;
    // Publish every local change: the count can stay equal while the calls change.
    const stopListening = this.#approvals.onChange(() => void this.#check({ isChanged: true }));
    // Poll for changes of other processes on the same store.
    const timer = setInterval(() => void this.#check(), this.#pollMs).unref();
    this.#stop = () => {
      stopListening();
      clearInterval(timer);
      this.#published = undefined;
      this.#seen = undefined;
    };
    void this.#check();
  }

  async #check({ isChanged = false } = {}): Promise<void> {
    const found = await this.#read().catch(() => undefined); // The store may be closing.
    if (!found) return;
    const { waiting, answered } = found;
    if (waiting === this.#published && answered.length === 0 && !isChanged) return;
    this.#published = waiting;
    this.#bus.publish("approvals", { waiting, answered });
  }

  /**
   * One query finds the decisions of all processes. Their numbers can appear out of order, because Postgres gives a
   * number before the transaction ends, so each look reads some that were seen before.
   */
  async #read(): Promise<LiveEvents["approvals"] | undefined> {
    if (!this.#approvals) return undefined;
    const found = await this.#approvals.newestAnswers(reach);
    const seen = this.#seen;
    this.#seen = new Set(found.map(({ number }) => number));
    const oldest = Math.min(...(seen ?? [])); // older ones were deleted or seen long ago
    const isNew = (number: number) => seen !== undefined && !seen.has(number) && (seen.size === 0 || number > oldest);
    const answered = found.filter(({ number }) => isNew(number)).map(({ id }) => id);
    return { waiting: await this.#approvals.waiting(), answered: answered.slice(-maxIds) };
  }
}

/** How many of the last decisions a look reads. */
const reach = 200;
