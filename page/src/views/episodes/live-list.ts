import { useCallback, useEffect, useRef } from "preact/hooks";
import { callApi } from "../../api.ts";
import { useEvents, useReconnected } from "../../events.ts";
import { usePagedList } from "../../paged-list.ts";
import type { ListItem, PagedList } from "../../paged-list.ts";
import type { Query } from "../../router.ts";

/** The list of episodes, newest first. Rows update in place, new rows are prepended, and further pages stay loaded. */
export function useLiveEpisodes(query: Query): PagedList<Episode> {
  const list = usePagedList("/api/episodes", "episodes", { query });
  const latest = useRef({ list, query });
  latest.current = { list, query };
  const refresh = useThrottled(() => {
    const asked = latest.current;
    const limit = Math.min(1000, Math.max(100, asked.list.items.length));
    callApi("GET /api/episodes", { query: { ...asked.query, limit } }).then(
      ({ next, episodes }) => {
        // The filters may have changed meanwhile, so that another list is loading.
        if (latest.current.query !== asked.query && latest.current.list.isLoading) return;
        asked.list.change((items) => (next === null ? episodes : merged(episodes, items)));
      },
      () => undefined, // the next event retries, and the header shows the connection state
    );
  }, 1000);
  useEvents("episodes", refresh);
  useReconnected(refresh);
  return list;
}

type Episode = ListItem<"/api/episodes", "episodes">;

/** Reloads at most once per interval when the item with this id changes, unless the topic is undefined. */
export function useChanges(topic: "episodes" | "runs" | undefined, id: string, item: Reloaded): () => void {
  const refresh = useThrottled(item.reload, item.everyMs);
  useEvents(topic, ({ changed }) => {
    if (changed.length === 0 || changed.includes(id)) refresh();
  });
  useReconnected(refresh);
  return refresh;
}

interface Reloaded {
  readonly reload: () => void;
  readonly everyMs: number;
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
function merged(fresh: readonly Episode[], items: readonly Episode[]): readonly Episode[] {
  const oldest = fresh.at(-1)?.startedAt ?? "";
  const known = new Set(fresh.map(({ id }) => id));
  return [...fresh, ...items.filter(({ id, startedAt }) => startedAt <= oldest && !known.has(id))];
}
