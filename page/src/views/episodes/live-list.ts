import { useCallback, useEffect, useRef } from "preact/hooks";
import { callApi } from "../../api.ts";
import { useEvents, useReconnected } from "../../events.ts";
import { usePagedList } from "../../paged-list.ts";
import type { ListItem, PagedList } from "../../paged-list.ts";
import type { Query } from "../../router.ts";

/**
 * A live list, newest first. Rows update in place, new rows are prepended, and further pages stay loaded.
 */
export function useLiveList<Key extends keyof LiveItems>(key: Key, query: Query): PagedList<LiveItems[Key]> {
  type Item = LiveItems[Key];
  // The types of the two lists cannot be kept apart by a variable.
  const list = usePagedList(`/api/${key}` as "/api/episodes", key as "episodes", {
    query,
  }) as unknown as PagedList<Item>;
  const latest = useRef({ list, query });
  latest.current = { list, query };
  const refresh = useThrottled(() => {
    const asked = latest.current;
    const limit = Math.min(1000, Math.max(100, asked.list.items.length));
    callApi(`GET /api/${key}` as "GET /api/episodes", { query: { ...asked.query, limit } }).then(
      (page) => {
        // The filters may have changed meanwhile, so that another list is loading.
        if (latest.current.query !== asked.query && latest.current.list.isLoading) return;
        const fresh = page[key as "episodes"] as unknown as readonly Item[];
        asked.list.change((items) => (page.next === null ? fresh : merged(fresh, items)));
      },
      () => undefined, // the next event retries, and the header shows the connection state
    );
  }, 1000);
  useEvents(key, refresh);
  useReconnected(refresh);
  return list;
}

interface LiveItems {
  readonly episodes: ListItem<"/api/episodes", "episodes">;
  readonly runs: ListItem<"/api/runs", "runs">;
}

/** Runs immediately, then at most once per interval. The last call is never dropped. */
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

/** The fresh items, followed by the older items that were already loaded. */
function merged<Item extends { readonly id: string; readonly startedAt: string }>(
  fresh: readonly Item[],
  items: readonly Item[],
): readonly Item[] {
  const oldest = fresh.at(-1)?.startedAt ?? "";
  const known = new Set(fresh.map(({ id }) => id));
  return [...fresh, ...items.filter(({ id, startedAt }) => startedAt <= oldest && !known.has(id))];
}
