import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { LiveEvents } from "../../../../packages/biplane/src/admin/events/event-api.ts";
import type { CallSummary } from "../../../../packages/biplane/src/admin/calls/call-api.ts";
import { oncePerFrame } from "../../apps/once-per-frame.ts";
import { callApi } from "../../api.ts";
import { useEvents, useReconnected } from "../../events.ts";
import { usePagedList } from "../../paged-list.ts";
import { useMutation } from "../../resource.ts";
import type { Query } from "../../router.ts";
import type { CallFilter } from "./filters.tsx";

/** The newest calls that match a filter. Holds a limited number and updates at most once per frame. */
export interface Feed {
  readonly calls: readonly CallSummary[];
  /** Also before a text filter is applied. */
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly isPaused: boolean;
  readonly pause: (isPaused: boolean) => void;
  /** Calls since the pause. */
  readonly missed: number;
  /** Calls omitted from the sample. */
  readonly skipped: number;
  readonly reload: () => void;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** Loads older calls and pauses, because new calls would push them out. */
  readonly more: () => void;
}

const maxCalls = 100;

/** `isHeld` freezes the list while one of its calls is open. */
export function useFeed(filter: CallFilter, isHeld: boolean): Feed {
  const debounced = useDebounced(filter);
  const list = usePagedList("/api/calls", "calls", { query: { ...debounced, limit: maxCalls } }, { isCached: true });
  const [isPaused, setPaused] = useState(false);
  const [counts, setCounts] = useState({ missed: 0, skipped: 0 });
  const isStill = isPaused || isHeld;
  const state = useRef({ isStill, list });
  state.current = { isStill, list };
  const buffered = useRef({ calls: [] as CallSummary[], missed: 0, skipped: 0 });
  const search = JSON.stringify(debounced);
  const isNew = useDeduplicated(search);
  const frame = useRef<ReturnType<typeof oncePerFrame>>(undefined);
  frame.current ??= oncePerFrame(() => {
    // The first page would replace them, and alone they look like all calls.
    if (state.current.list.isLoading) return;
    const { calls, missed, skipped } = buffered.current;
    buffered.current = { calls: [], missed: 0, skipped: 0 };
    if (calls.length > 0) state.current.list.change((items) => [...without(calls, items), ...items].slice(0, maxCalls));
    if (missed + skipped > 0) setCounts((last) => ({ missed: last.missed + missed, skipped: last.skipped + skipped }));
  });
  useEffect(() => () => frame.current?.cancel(), []);
  useEvents(
    "calls",
    ({ calls, skipped }: LiveEvents["calls"]) => {
      const waiting = buffered.current;
      const { isStill: isMissed, list: shown } = state.current;
      const fresh = without(calls, shown.items).filter(isNew);
      if (isMissed) waiting.missed += fresh.length + skipped;
      else {
        waiting.skipped += skipped;
        waiting.calls.unshift(...fresh.reverse());
        waiting.calls.length = Math.min(waiting.calls.length, maxCalls);
      }
      frame.current?.schedule();
    },
    debounced,
  );
  const { reload } = list;
  useReconnected(() => isStill || reload());
  useEffect(() => {
    buffered.current = { calls: [], missed: 0, skipped: 0 };
    setCounts({ missed: 0, skipped: 0 });
  }, [search]);
  useEffect(() => {
    if (!list.isLoading) frame.current?.schedule();
  }, [list.isLoading]);
  // Missed calls are reloaded instead of buffered, because there may be millions.
  const wasStill = useRef(false);
  useEffect(() => {
    if (wasStill.current && !isStill) {
      setCounts({ missed: 0, skipped: 0 });
      reload();
    }
    wasStill.current = isStill;
  }, [isStill]);
  const [isAtEnd, setAtEnd] = useState(false);
  useEffect(() => setAtEnd(false), [search, isStill]);
  // Continue after the last shown call, because the list has moved since its page was loaded.
  const older = useMutation(async (_: void, signal) => {
    const after = state.current.list.items.at(-1)?.id;
    const page = await callApi("GET /api/calls", { query: { ...debounced, limit: maxCalls, after }, signal });
    state.current.list.change((items) => (items.at(-1)?.id === after ? [...items, ...page.calls] : items));
    setAtEnd(page.next === null);
  });
  return {
    ...counts,
    calls: list.items,
    isLoading: list.isLoading || search !== JSON.stringify(filter),
    error: list.error ?? older.error,
    isPaused,
    pause: setPaused,
    reload,
    hasMore: list.items.length >= maxCalls && !isAtEnd,
    isLoadingMore: older.isBusy,
    more: () => {
      setPaused(true);
      void older.run();
    },
  };
}

/** Filters out repeated calls, because a new connection replays the last seconds. */
function useDeduplicated(search: string): (call: CallSummary) => boolean {
  const ids = useMemo(() => new Set<string>(), [search]);
  return ({ id }) => {
    if (ids.has(id)) return false;
    const [oldest = ""] = ids;
    if (ids.size === 500) ids.delete(oldest);
    ids.add(id);
    return true;
  };
}

function without(calls: readonly CallSummary[], items: readonly CallSummary[]): CallSummary[] {
  const known = new Set(items.map(({ id }) => id));
  return calls.filter(({ id }) => !known.has(id));
}

/** Debounces the text filters. Other filters apply immediately. */
function useDebounced(filter: CallFilter): Query {
  const { tool, agent } = filter;
  const [typed, setTyped] = useState({ tool, agent });
  useEffect(() => {
    if (typed.tool === tool && typed.agent === agent) return;
    const timer = setTimeout(() => setTyped({ tool, agent }), 200);
    return () => clearTimeout(timer);
  }, [tool, agent]);
  return { ...filter, ...typed };
}
