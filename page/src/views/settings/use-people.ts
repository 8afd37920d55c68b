import { useCallback, useEffect, useState } from "preact/hooks";
import type { Person } from "../../../../src/admin/people/person.ts";
import { ask } from "../../api.ts";
import type { TableList } from "../../components/table.tsx";

/** Everybody who may log in, page by page, in the order of their names. */
export function usePeople(): TableList<Person> & { reload(): void } {
  const [state, setState] = useState<State>(empty);
  const [turn, setTurn] = useState(0);
  const load = (after: string | undefined, signal: AbortSignal | undefined) => {
    setState((last) => ({ ...last, loading: after === undefined ? "first" : "more", error: undefined }));
    ask<Page>("GET /api/people", { query: { after }, signal }).then(
      ({ people, next }) =>
        setState((last) => ({
          items: after === undefined ? people : [...last.items, ...people],
          next,
          error: undefined,
          loading: undefined,
        })),
      (error: unknown) => {
        if (signal?.aborted !== true) setState((last) => ({ ...last, error, loading: undefined }));
      },
    );
  };
  useEffect(() => {
    const abort = new AbortController();
    load(undefined, abort.signal);
    return () => abort.abort();
  }, [turn]);
  const { items, next, error, loading } = state;
  return {
    items,
    error,
    isLoading: loading === "first",
    isLoadingMore: loading === "more",
    hasMore: next !== null,
    more: () => next !== null && loading === undefined && load(next, undefined),
    reload: useCallback(() => setTurn((last) => last + 1), []),
  };
}

interface Page {
  readonly people: readonly Person[];
  readonly next: string | null;
}

interface State {
  readonly items: readonly Person[];
  readonly next: string | null;
  readonly error: unknown;
  readonly loading: "first" | "more" | undefined;
}

const empty: State = { items: [], next: null, error: undefined, loading: "first" };
