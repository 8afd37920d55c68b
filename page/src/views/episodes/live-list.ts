import { useCallback, useEffect, useRef } from "preact/hooks";
import { ask } from "../../api.ts";
import { useEvents, useReconnected } from "../../events.ts";
import { usePages } from "../../pages.ts";
import type { Lists, Pages } from "../../pages.ts";
import type { Query } from "../../router.ts";

/**
 * A list whose newest come first, kept up to date in place: rows change where they stand, new ones come on top, and what
 * was loaded further down stays.
 */
export function useLiveList<Key extends "episodes" | "runs">(key: Key, query: Query): Pages<Lists[Key]> {
  type Item = Lists[Key];
  const list = usePages(`/api/${key}`, key, query);
  const latest = useRef({ list, query });
  latest.current = { list, query };
  const refresh = useThrottled(() => {
    const asked = latest.current;
    const limit = Math.min(1000, Math.max(100, asked.list.items.length));
    ask<Record<string, unknown>>(`GET /api/${key}`, { query: { ...asked.query, limit } }).then(
      (page) => {
        // The filters may have changed meanwhile: then another list is there already.
        if (latest.current.query !== asked.query && latest.current.list.isLoading) return;
        const fresh = page[key] as readonly Item[];
        asked.list.change((items) => (page["next"] === null ? fresh : merged(fresh, items)));
      },
      () => undefined, // the next event tries again, and the header says what the connection does
    );
  }, 1000);
  useEvents(key, refresh);
  useReconnected(refresh);
  return list;
}

/** Calls at once, and then no more often than this; the last call is never lost. */
export function useThrottled(run: () => void, everyMs: number): () => void {
  const latest = useRef(run);
  latest.current = run;
  const state = useRef<{ timer: ReturnType<typeof setTimeout> | undefined; isWanted: boolean }>({
    timer: undefined,
    isWanted: false,
  });
  useEffect(() => () => clearTimeout(state.current.timer), []);
  return useCallback(() => {
    const own = state.current;
    if (own.timer !== undefined) {
      own.isWanted = true;
      return;
    }
    const rest = () => {
      own.timer = undefined;
      if (!own.isWanted) return;
      own.isWanted = false;
      own.timer = setTimeout(rest, everyMs);
      latest.current();
    };
    own.timer = setTimeout(rest, everyMs);
    latest.current();
  }, [everyMs]);
}

/** The fresh ones, and behind them what was there and is older than all of them. */
function merged<Item extends { readonly id: string; readonly startedAt: string }>(
  fresh: readonly Item[],
  items: readonly Item[],
): readonly Item[] {
  const oldest = fresh.at(-1)?.startedAt ?? "";
  const known = new Set(fresh.map(({ id }) => id));
  return [...fresh, ...items.filter(({ id, startedAt }) => startedAt <= oldest && !known.has(id))];
}
