import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Approval } from "../../../../src/admin/approvals/approval.ts";
import { ask } from "../../api.ts";
import { useEvents, useReconnected } from "../../events.ts";
import { inOrder } from "./batches.ts";

/** Everything that waits, the longest waiting first: what is new comes at the end, and nothing moves under a finger. */
export interface Queue {
  readonly items: readonly Approval[];
  readonly error: unknown;
  readonly isLoading: boolean;
  /** There are more than anybody answers by hand; the newest are here. */
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
  const load = useRef({ abort: new AbortController(), isUnderWay: false, isWanted: false });
  const reload = useCallback(() => {
    const own = load.current;
    own.isWanted = true;
    if (own.isUnderWay) return;
    own.isUnderWay = true;
    void (async () => {
      // What happens while it is read is read again, once.
      while (own.isWanted && !own.abort.signal.aborted) {
        own.isWanted = false;
        await everyWaiting(own.abort.signal).then(
          (found) => setState({ ...found, error: undefined, isLoading: false }),
          (error: unknown) => {
            if (!own.abort.signal.aborted) setState((last) => ({ ...last, error, isLoading: false }));
          },
        );
      }
      own.isUnderWay = false;
    })();
  }, []);
  useEvents("approvals", reload);
  useReconnected(reload);
  useEffect(reload, [reload]);
  // An event tells that the number has changed. One answered and one asked in the same moment are no change.
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), lookAgainMs);
    return () => {
      clearInterval(timer);
      load.current.abort.abort();
    };
  }, [reload]);
  const items = useMemo(() => inOrder(state.items), [state.items]);
  return { ...state, items, reload };
}

async function everyWaiting(signal: AbortSignal): Promise<{ items: readonly Approval[]; isCut: boolean }> {
  const items: Approval[] = [];
  let after: string | null = "";
  while (after !== null && items.length < most) {
    const query = { status: "waiting", limit: pageSize, after };
    const page: WaitingPage = await ask("GET /api/approvals", { query, signal });
    items.push(...page.approvals);
    after = page.next;
  }
  return { items, isCut: after !== null };
}

interface WaitingPage {
  readonly approvals: readonly Approval[];
  readonly next: string | null;
}

const lookAgainMs = 10_000;
const pageSize = 200;
const most = 1000;
