import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { LiveEvents, ShownCall } from "../../../../src/desk/contract.ts";
import { oncePerFrame } from "../../apps/once-per-frame.ts";
import { ask } from "../../api.ts";
import { useEvents, useReconnected } from "../../events.ts";
import { usePages } from "../../pages.ts";
import { usePost } from "../../resource.ts";
import type { Query } from "../../router.ts";
import type { CallFilter } from "./filters.tsx";

/** The newest calls that fit a filter. However many there are, it holds a few and changes at most once a frame. */
export interface Feed {
  readonly calls: readonly ShownCall[];
  readonly most: number;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly isPaused: boolean;
  readonly pause: (isPaused: boolean) => void;
  /** Calls since it was paused. */
  readonly missed: number;
  /** Calls that were left out of the sample. */
  readonly skipped: number;
  readonly reload: () => void;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** Older ones too. It is paused then: new ones would push them out again. */
  readonly more: () => void;
}

const most = 100;

/** `isHeld` stops it while one of its calls is looked at: the list must not run away. */
export function useFeed(filter: CallFilter, isHeld: boolean): Feed {
  const settled = useSettled(filter);
  const list = usePages("/api/calls", "calls", { ...settled, limit: most }, { isKept: true });
  const [isPaused, setPaused] = useState(false);
  const [counts, setCounts] = useState({ missed: 0, skipped: 0 });
  const isStill = isPaused || isHeld;
  const state = useRef({ isStill, list });
  state.current = { isStill, list };
  const heard = useRef({ calls: [] as ShownCall[], missed: 0, skipped: 0 });
  const search = JSON.stringify(settled);
  const isNew = useUnheard(search);
  const frame = useRef<ReturnType<typeof oncePerFrame>>(undefined);
  frame.current ??= oncePerFrame(() => {
    const { calls, missed, skipped } = heard.current;
    heard.current = { calls: [], missed: 0, skipped: 0 };
    if (calls.length > 0) state.current.list.change((items) => [...without(calls, items), ...items].slice(0, most));
    if (missed + skipped > 0) setCounts((last) => ({ missed: last.missed + missed, skipped: last.skipped + skipped }));
  });
  useEffect(() => () => frame.current?.cancel(), []);
  useEvents(
    "calls",
    ({ calls, skipped }: LiveEvents["calls"]) => {
      const waiting = heard.current;
      const { isStill: isMissed, list: shown } = state.current;
      const fresh = without(calls, shown.items).filter(isNew);
      if (isMissed) waiting.missed += fresh.length + skipped;
      else {
        waiting.skipped += skipped;
        waiting.calls.unshift(...fresh.reverse());
        waiting.calls.length = Math.min(waiting.calls.length, most);
      }
      frame.current?.ask();
    },
    settled,
  );
  const { reload } = list;
  useReconnected(() => isStill || reload());
  useEffect(() => setCounts({ missed: 0, skipped: 0 }), [search]);
  // What was missed is read again, not collected: it may have been a million.
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
  // From the last one that is shown: the list has moved since its page was read.
  const older = usePost(async (_: void, signal) => {
    const after = state.current.list.items.at(-1)?.id;
    const page = await ask<CallPage>("GET /api/calls", { query: { ...settled, limit: most, after }, signal });
    state.current.list.change((items) => (items.at(-1)?.id === after ? [...items, ...page.calls] : items));
    setAtEnd(page.next === null);
  });
  const pause = useCallback((wanted: boolean) => setPaused(wanted), []);
  return {
    ...counts,
    calls: list.items,
    most,
    isLoading: list.isLoading,
    error: list.error ?? older.error,
    isPaused,
    pause,
    reload,
    hasMore: list.items.length >= most && !isAtEnd,
    isLoadingMore: older.isBusy,
    more: () => {
      setPaused(true);
      void older.run();
    },
  };
}

interface CallPage {
  readonly calls: readonly ShownCall[];
  readonly next: string | null;
}

/** A new connection tells of the last moment again: what was heard once is not heard twice. */
function useUnheard(search: string): (call: ShownCall) => boolean {
  const ids = useMemo(() => new Set<string>(), [search]);
  return ({ id }) => {
    if (ids.has(id)) return false;
    const [oldest = ""] = ids;
    if (ids.size === 500) ids.delete(oldest);
    ids.add(id);
    return true;
  };
}

function without(calls: readonly ShownCall[], items: readonly ShownCall[]): ShownCall[] {
  const known = new Set(items.map(({ id }) => id));
  return calls.filter(({ id }) => !known.has(id));
}

/** The filter once somebody has stopped typing; what is chosen holds at once. */
function useSettled(filter: CallFilter): Query {
  const { tool, agent } = filter;
  const [typed, setTyped] = useState({ tool, agent });
  useEffect(() => {
    if (typed.tool === tool && typed.agent === agent) return;
    const timer = setTimeout(() => setTyped({ tool, agent }), 200);
    return () => clearTimeout(timer);
  }, [tool, agent]);
  return { ...filter, ...typed };
}
