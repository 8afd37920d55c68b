import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { addressOf, callApi } from "./api.ts";
import type { ApiRequest, ApiResponse } from "./api.ts";
import type { ResourcePath } from "./resource.ts";
import { cacheResponse, cachedResponse } from "./response-cache.ts";
import type { Query } from "./router.ts";

/** The type of the items that a path lists under a key of its response. */
export type ListItem<Path extends ResourcePath, Key> =
  ApiResponse<`GET ${Path}`> extends { readonly [Name in Key & string]: readonly (infer Item)[] } ? Item : never;

/** The loaded part of a list. Fits `Table` as is. */
export interface PagedList<Item> {
  readonly items: readonly Item[];
  readonly error: unknown;
  /** The first page is loading. */
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly reload: () => void;
  /** Updates the loaded items, for example to prepend a live call. */
  change(update: (items: readonly Item[]) => readonly Item[]): void;
}

/**
 * `usePagedList("/api/calls", "calls", { query: { tool } })` loads the first page, and further pages with `more`. An
 * undefined request loads nothing. With `isCached`, a view that opens again starts with the previous first page.
 */
export function usePagedList<Path extends ResourcePath, Key extends keyof ApiResponse<`GET ${Path}`> & string>(
  path: Path,
  key: Key,
  request: ApiRequest<`GET ${Path}`> | undefined,
  { isCached = false }: { readonly isCached?: boolean } = {},
): PagedList<ListItem<Path, Key>> {
  type Item = ListItem<Path, Key>;
  const list = request === undefined ? "" : addressOf(path, request);
  const { query = {} } = (request ?? {}) as { readonly query?: Query };
  const [state, setState] = useState<PagesState<Item>>(
    () => (isCached ? (cachedResponse(list) as PagesState<Item> | undefined) : undefined) ?? nothing,
  );
  const [turn, setTurn] = useState(0);
  const abort = useRef<AbortController>(null);
  const load = useCallback(
    (after: string | number | undefined) => {
      if (request === undefined) return setState(nothing);
      abort.current?.abort();
      const { signal } = (abort.current = new AbortController());
      const wanted = { ...request, query: { ...query, after }, signal };
      setState((last) => ({
        ...(last.list === list ? last : nothing),
        list,
        loading: after === undefined ? "first" : "more",
      }));
      callApi(`GET ${path}`, wanted as never).then(
        (page) => {
          const found = (page as Record<string, unknown>)[key] as readonly Item[];
          const { next } = page as Pick<PagesState<Item>, "next">;
          setState((last) => ({
            list,
            items: after === undefined ? found : [...last.items, ...found],
            next,
            error: undefined,
            loading: undefined,
          }));
        },
        (error: unknown) => {
          if (!signal.aborted) setState((last) => ({ ...last, error, loading: undefined }));
        },
      );
    },
    [list, key],
  );
  useEffect(() => {
    load(undefined);
    return () => abort.current?.abort();
  }, [load, turn]);
  const latest = useRef(state);
  latest.current = state;
  useEffect(() => {
    if (isCached) return () => cacheResponse(latest.current.list, firstPage(latest.current, Number(query["limit"])));
  }, []);
  const isCurrent = state.list === list;
  const { items, next, error, loading } = isCurrent ? state : nothing;
  return {
    items,
    error,
    isLoading: request !== undefined && (!isCurrent || loading === "first"),
    isLoadingMore: loading === "more",
    hasMore: next !== null,
    more: () => (next === null || loading !== undefined ? undefined : load(next)),
    reload: useCallback(() => setTurn((last) => last + 1), []),
    change: useCallback((update) => setState((last) => ({ ...last, items: update(last.items) })), []),
  };
}

interface PagesState<Item> {
  readonly list: string;
  readonly items: readonly Item[];
  readonly next: string | number | null;
  readonly error: unknown;
  readonly loading: "first" | "more" | undefined;
}

function firstPage<Item>(state: PagesState<Item>, limit: number): PagesState<Item> {
  return { ...state, items: state.items.slice(0, limit) };
}

const nothing = { list: "", items: [], next: null, error: undefined, loading: undefined };
