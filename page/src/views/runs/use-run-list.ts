import { useRef } from "preact/hooks";
import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { callApi } from "../../api.ts";
import { useEvents, useReconnected } from "../../events.ts";
import { usePagedList } from "../../paged-list.ts";
import type { PagedList } from "../../paged-list.ts";
import type { Query } from "../../router.ts";
import { useThrottled } from "../episodes/live-list.ts";

/** Runs in any order, updated while they are played. The loaded part is read again as a whole: rows may move. */
export function useRunList(query: Query): PagedList<RunSummary> {
  const list = usePagedList("/api/runs", "runs", { query }, { isCached: true });
  const latest = useRef({ list, query });
  latest.current = { list, query };
  const refresh = useThrottled(() => {
    const asked = latest.current;
    const limit = Math.min(1000, Math.max(100, asked.list.items.length));
    callApi("GET /api/runs", { query: { ...asked.query, limit } }).then(
      ({ runs }) => {
        // The filters may have changed meanwhile, so that another list is loading.
        if (JSON.stringify(latest.current.query) === JSON.stringify(asked.query)) asked.list.change(() => runs);
      },
      () => undefined, // the next event retries, and the header shows the connection state
    );
  }, 1000);
  useEvents("runs", refresh);
  useReconnected(refresh);
  return { ...list, reload: refresh };
}
