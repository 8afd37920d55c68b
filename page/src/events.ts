import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Figures } from "../../packages/biplane/src/admin/overview/overview-api.ts";
import type { LiveEvents } from "../../packages/biplane/src/admin/events/event-api.ts";
import { person } from "./session.ts";
import { searchOf } from "./router.ts";
import type { Query } from "./router.ts";
import { readEvents } from "./event-reader.ts";

/** State of the connection for live events. */
export const liveState = signal<"connecting" | "live" | "reconnecting" | "paused">("connecting");

/** The newest figures. The shell keeps them subscribed. */
export const figures = signal<Figures | undefined>(undefined);

/**
 * Calls the handler for each event of a topic while the component is mounted. All listeners share one connection.
 * `filter` applies to `calls` and takes the filters of `/api/calls`. An undefined topic subscribes to nothing.
 */
export function useEvents<Topic extends keyof LiveEvents>(
  topic: Topic | undefined,
  handler: (event: LiveEvents[Topic]) => void,
  filter: Query = {},
): void {
  const latest = useRef(handler);
  latest.current = handler;
  const search = searchOf(filter);
  useEffect(() => {
    if (topic === undefined) return;
    const listener: Listener = {
      topic,
      filter: search,
      handle: (event) => latest.current(event as LiveEvents[Topic]),
    };
    listeners.add(listener);
    updateConnection();
    return () => {
      listeners.delete(listener);
      updateConnection();
    };
  }, [topic, search]);
}

/** Calls the handler after a reconnect, because events in between were missed. */
export function useReconnected(handler: () => void): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    const listener = () => latest.current();
    reconnectListeners.add(listener);
    return () => void reconnectListeners.delete(listener);
  }, []);
}

interface Listener {
  readonly topic: keyof LiveEvents;
  readonly filter: string;
  readonly handle: (event: unknown) => void;
}

const listeners = new Set<Listener>();
const reconnectListeners = new Set<() => void>();
/** A new connection replays the last two seconds, so a shorter gap loses nothing. */
const longGapMs = 1500;
let disconnectedAt: number | undefined;
let open: { readonly address: string; readonly abort: AbortController } | undefined;
let updateTimer: ReturnType<typeof setTimeout> | undefined;

/** Opens, changes or closes the connection, once for all changes of the same moment. */
function updateConnection(delayMs = 20): void {
  clearTimeout(updateTimer);
  updateTimer = setTimeout(() => {
    const wanted = person.value === "signed-out" || document.hidden ? undefined : wantedStream();
    if (wanted?.address === open?.address) return;
    open?.abort.abort();
    open = undefined;
    disconnectedAt ??= performance.now() - delayMs;
    if (wanted === undefined) {
      liveState.value = "paused";
      return;
    }
    open = { address: wanted.address, abort: new AbortController() };
    void keepOpen(wanted, open.abort.signal);
  }, delayMs);
}

interface Stream {
  readonly address: string;
  readonly filter: string;
}

function wantedStream(): Stream | undefined {
  if (listeners.size === 0) return undefined;
  const topics = [...new Set(Array.from(listeners, ({ topic }) => topic))].sort();
  const filter = Array.from(listeners, (listener) => listener.filter).findLast((each) => each !== "") ?? "";
  return { address: `/api/events?topics=${topics.join(",")}${filter === "" ? "" : `&${filter}`}`, filter };
}

/** Reconnects with exponential backoff, at most five seconds. */
async function keepOpen({ address, filter }: Stream, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await readEvents(address, {
        signal,
        onOpen: () => {
          failures = 0;
          liveState.value = "live";
          const gapMs = performance.now() - (disconnectedAt ?? performance.now());
          disconnectedAt = undefined;
          if (gapMs > longGapMs) for (const notify of reconnectListeners) notify();
        },
        onEvent: (topic, event) => dispatch(topic, event, filter),
      });
    } catch {
      // Every failure is retried; `liveState` shows it.
    }
    if (signal.aborted) return;
    liveState.value = "reconnecting";
    disconnectedAt ??= performance.now();
    await pause(Math.min(5000, 250 * 2 ** failures) * (0.75 + Math.random() / 2), signal);
  }
}

/** Skips listeners whose filter differs from that of the stream, which may still be the old one. */
function dispatch(topic: string, event: unknown, filter: string): void {
  if (topic === "figures") figures.value = event as Figures;
  for (const listener of listeners)
    if (listener.topic === topic && (listener.filter === "" || listener.filter === filter)) listener.handle(event);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

// Browsers allow six connections per server across all tabs, so hidden tabs release theirs.
document.addEventListener("visibilitychange", () => updateConnection(document.hidden ? 15_000 : 0));
person.subscribe(() => updateConnection());
