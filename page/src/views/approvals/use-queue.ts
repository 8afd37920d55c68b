import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Approval } from "../../../../packages/biplane/src/governance/approvals/approval.ts";
import { callApi } from "../../api.ts";
import type { ApiResponse } from "../../api.ts";
import { useEvents, useReconnected } from "../../events.ts";
import { useReload } from "../../use-reload.ts";
import { inOrder } from "./batches.ts";

/** All waiting calls, longest waiting first. New ones are appended, so that rows do not move under the pointer. */
export interface Queue {
  readonly items: readonly Approval[];
  readonly error: unknown;
  readonly isLoading: boolean;
  /** There are more than the limit; only the newest are included. */
  readonly isCut: boolean;
  readonly reload: () => void;
}

export function useQueue(): Queue {
  const [state, setState] = useState<Omit<Queue, "reload">>({
    items: [],
    error: undefined,
    isLoading: true,
    isCut: false,
  });
  const load = useRef({ abort: new AbortController(), isLoading: false, isWanted: false });
  const reload = useCallback(() => {
    const own = load.current;
    own.isWanted = true;
    if (own.isLoading) return;
    own.isLoading = true;
    void (async () => {
      // Reload once more if something changed during the load.
      while (own.isWanted && !own.abort.signal.aborted) {
        own.isWanted = false;
        await everyWaiting(own.abort.signal).then(
          (found) => setState({ ...found, error: undefined, isLoading: false }),
          (error: unknown) => {
            if (!own.abort.signal.aborted) setState((last) => ({ ...last, error, isLoading: false }));
          },
        );
      }
      own.isLoading = false;
    })();
  }, []);
  useEvents("approvals", reload);
  useReconnected(reload);
  useEffect(reload, [reload]);
  // Events report only a changed count. Poll, because an answer and a new call together leave it unchanged.
  useReload(reload, 10_000);
  useEffect(() => () => load.current.abort.abort(), []);
  const items = useMemo(() => inOrder(state.items), [state.items]);
  return { ...state, items, reload };
}

async function everyWaiting(signal: AbortSignal): Promise<{ items: readonly Approval[]; isCut: boolean }> {
  const items: Approval[] = [];
  let after: string | null = "";
  while (after !== null && items.length < maxItems) {
    const query = { status: "waiting", limit: pageSize, after };
    const page: ApiResponse<"GET /api/approvals"> = await callApi("GET /api/approvals", { query, signal });
    items.push(...page.approvals);
    after = page.next;
  }
  return { items, isCut: after !== null };
}

const pageSize = 200;
const maxItems = 1000;
