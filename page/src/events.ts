import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Figures, LiveEvents } from "../../src/desk/contract.ts";
import { person } from "./session.ts";
import { searchOf } from "./router.ts";
import type { Query } from "./router.ts";
import { readEvents } from "./event-reader.ts";

/** How the one connection for live events does. */
export const liveState = signal<"connecting" | "live" | "reconnecting" | "paused">("connecting");

/** The newest figures, for whoever wants them: the shell asks for them all the time. */
export const figures = signal<Figures | undefined>(undefined);

/**
 * Calls the handler with each event of a topic while the component is there. All share one connection. `filter` is for
 * `calls`, where the filters of `/api/calls` hold; an undefined topic listens to nothing.
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
      hear: (event) => latest.current(event as LiveEvents[Topic]),
    };
    listeners.add(listener);
    settle();
    return () => {
      listeners.delete(listener);
      settle();
    };
  }, [topic, search]);
}

/** Calls the handler when the connection stands after a loss or a pause: what happened meanwhile was not heard. */
export function useReconnected(handler: () => void): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    const listener = () => latest.current();
    returns.add(listener);
    return () => void returns.delete(listener);
  }, []);
}

interface Listener {
  readonly topic: keyof LiveEvents;
  readonly filter: string;
  readonly hear: (event: unknown) => void;
}

const listeners = new Set<Listener>();
const returns = new Set<() => void>();
/** A new connection begins with what happened in the last two seconds: a shorter silence loses nothing. */
const longSilenceMs = 1500;
let silentSince: number | undefined;
let open: { readonly address: string; readonly abort: AbortController } | undefined;
let settling: ReturnType<typeof setTimeout> | undefined;

/** Opens, changes or closes the connection, once for all that changes in the same moment. */
function settle(delayMs = 20): void {
  clearTimeout(settling);
  settling = setTimeout(() => {
    const wanted = person.value === "nobody" || document.hidden ? undefined : wantedStream();
    if (wanted?.address === open?.address) return;
    open?.abort.abort();
    open = undefined;
    silentSince ??= performance.now() - delayMs;
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

/** Connects again after a loss, later each time up to ten seconds. */
async function keepOpen({ address, filter }: Stream, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await readEvents(address, {
        signal,
        onOpen: () => {
          failures = 0;
          liveState.value = "live";
          const silentMs = performance.now() - (silentSince ?? performance.now());
          silentSince = undefined;
          if (silentMs > longSilenceMs) for (const hear of returns) hear();
        },
        onEvent: (topic, event) => tell(topic, event, filter),
      });
    } catch {
      // Whatever it was, it is tried again; the state says so meanwhile.
    }
    if (signal.aborted) return;
    liveState.value = "reconnecting";
    silentSince ??= performance.now();
    await pause(Math.min(10_000, 500 * 2 ** failures) * (0.75 + Math.random() / 2), signal);
  }
}

/** Whoever has just changed its filter hears nothing of the stream that still has the one before. */
function tell(topic: string, event: unknown, filter: string): void {
  if (topic === "figures") figures.value = event as Figures;
  for (const listener of listeners)
    if (listener.topic === topic && (listener.filter === "" || listener.filter === filter)) listener.hear(event);
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

// A browser has six connections for all tabs of a server: one that nobody looks at gives its own back after a while.
document.addEventListener("visibilitychange", () => settle(document.hidden ? 15_000 : 0));
person.subscribe(() => settle());
