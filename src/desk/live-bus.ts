import type { LiveEvents } from "./contract.ts";

/** What is told as it happens. Calls are not here: whoever watches them takes his own sample from the log. */
export type Told = Omit<LiveEvents, "calls" | "figures">;

export type ToldTopic = keyof Told;

export interface LiveBusOptions {
  /** How much time lies between two events of a topic, at least. */
  readonly everyMs?: number;
  /** How long it is remembered what was told. */
  readonly recentMs?: number;
}

/**
 * Carries news from those who make it to those who look: `bus.publish("episodes", { changed: [id] })`. What comes often
 * is told together. What is a moment old can be asked for, by those who come a moment late.
 */
export class LiveBus {
  readonly #everyMs: number;
  readonly #recentMs: number;
  readonly #listeners = new Map<ToldTopic, Set<(data: Told[ToldTopic]) => void>>();
  /** Topics that were told a moment ago, with what has come since. */
  readonly #resting = new Map<ToldTopic, { data: Told[ToldTopic] | undefined; readonly timer: NodeJS.Timeout }>();

  readonly #recent = new Map<ToldTopic, { readonly at: number; data: Told[ToldTopic] }[]>();

  constructor({ everyMs = 200, recentMs = 2000 }: LiveBusOptions = {}) {
    this.#everyMs = everyMs;
    this.#recentMs = recentMs;
  }

  publish<Topic extends ToldTopic>(topic: Topic, data: Told[Topic]): void {
    this.#remember(topic, data);
    if (!this.#listeners.has(topic)) return;
    const resting = this.#resting.get(topic);
    if (resting) resting.data = resting.data ? together(resting.data, data) : data;
    else this.#tell(topic, data);
  }

  /** Tells `listener` until the returned function is called. */
  subscribe<Topic extends ToldTopic>(topic: Topic, listener: (data: Told[Topic]) => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners);
    listeners.add(listener as (data: Told[ToldTopic]) => void);
    return () => {
      listeners.delete(listener as (data: Told[ToldTopic]) => void);
      if (listeners.size === 0 && this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
    };
  }

  /** What was published in the last moment, together; undefined where that is nothing. */
  recent<Topic extends ToldTopic>(topic: Topic): Told[Topic] | undefined {
    const all = this.#recentOf(topic).map(({ data }) => data);
    return all.length === 0 ? undefined : (all.reduce(together) as Told[Topic]);
  }

  /** Whether anybody would hear: for those to whom it is work to know. */
  isHeard(topic: ToldTopic): boolean {
    return this.#listeners.has(topic);
  }

  close(): void {
    for (const { timer } of this.#resting.values()) clearTimeout(timer);
    this.#resting.clear();
    this.#listeners.clear();
  }

  #remember(topic: ToldTopic, data: Told[ToldTopic]): void {
    const recent = this.#recentOf(topic);
    const last = recent.at(-1);
    if (last && performance.now() - last.at < this.#everyMs) last.data = together(last.data, data);
    else recent.push({ at: performance.now(), data });
    this.#recent.set(topic, recent);
  }

  #recentOf(topic: ToldTopic) {
    const since = performance.now() - this.#recentMs;
    return this.#recent.get(topic)?.filter(({ at }) => at > since) ?? [];
  }

  #tell(topic: ToldTopic, data: Told[ToldTopic]): void {
    const timer = setTimeout(() => this.#wake(topic), this.#everyMs).unref();
    this.#resting.set(topic, { data: undefined, timer });
    for (const listener of this.#listeners.get(topic) ?? []) listener(data);
  }

  #wake(topic: ToldTopic): void {
    const data = this.#resting.get(topic)?.data;
    this.#resting.delete(topic);
    if (data) this.#tell(topic, data);
  }
}

/** The later of two, or all that changed in both; too many to name are an empty list. */
function together(before: Told[ToldTopic], data: Told[ToldTopic]): Told[ToldTopic] {
  if (!("changed" in before && "changed" in data)) return data;
  if (before.changed.length === 0 || data.changed.length === 0) return { changed: [] };
  const changed = [...new Set([...before.changed, ...data.changed])];
  return { changed: changed.length > mostNamed ? [] : changed };
}

const mostNamed = 50;
