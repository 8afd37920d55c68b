import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Approval, Grant } from "../../src/admin/approvals/approval.ts";
import type { AuditLine } from "../../src/admin/audit/write-line.ts";
import type { PersonalToken } from "../../src/admin/people/personal-tokens.ts";
import type { SecretName } from "../../src/admin/secrets/secrets.ts";
import type {
  ShownCall,
  ShownConnection,
  ShownEpisode,
  ShownRun,
  ShownScript,
  ShownTool,
  ShownTrace,
} from "../../src/desk/contract.ts";
import { ask } from "./api.ts";
import { keepAnswer, keptAnswer } from "./kept-answers.ts";
import { searchOf } from "./router.ts";
import type { Query } from "./router.ts";

/** The lists of the API, by the key under which an answer holds them. */
export interface Lists {
  readonly tools: ShownTool;
  readonly calls: ShownCall;
  readonly episodes: ShownEpisode;
  readonly runs: ShownRun;
  readonly traces: ShownTrace;
  readonly scripts: ShownScript;
  readonly connections: ShownConnection;
  readonly approvals: Approval;
  readonly grants: Grant;
  readonly lines: AuditLine & { readonly sequence: number };
  readonly secrets: SecretName;
  readonly tokens: PersonalToken;
}

/** A list of the API, as far as it has been loaded. Goes into a Table as it is. */
export interface Pages<Item> {
  readonly items: readonly Item[];
  readonly error: unknown;
  /** The first page is on its way. */
  readonly isLoading: boolean;
  readonly isLoadingMore: boolean;
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly reload: () => void;
  /** Changes what is shown, such as to put a live call on top. */
  change(update: (items: readonly Item[]) => readonly Item[]): void;
}

/**
 * `usePages("/api/calls", "calls", { tool })`: loads the first page, and the next ones when asked for. With `isKept`,
 * whoever comes back sees the page that was there at once.
 */
export function usePages<Key extends keyof Lists>(
  path: `/api/${string}` | undefined,
  key: Key,
  query: Query = {},
  { isKept = false }: { readonly isKept?: boolean } = {},
): Pages<Lists[Key]> {
  type Item = Lists[Key];
  const search = searchOf(query);
  const list = `${path ?? ""}?${search}`;
  const [state, setState] = useState<PagesState<Item>>(
    () => (isKept ? (keptAnswer(list) as PagesState<Item> | undefined) : undefined) ?? nothing,
  );
  const [turn, setTurn] = useState(0);
  const abort = useRef<AbortController>(null);
  const load = useCallback(
    (after: string | number | undefined) => {
      if (path === undefined) return setState(nothing);
      abort.current?.abort();
      const { signal } = (abort.current = new AbortController());
      const wanted = { ...Object.fromEntries(new URLSearchParams(search)), after };
      setState((last) => ({
        ...(last.list === list ? last : nothing),
        list,
        loading: after === undefined ? "first" : "more",
      }));
      ask<Record<string, unknown>>(`GET ${path}`, { query: wanted, signal }).then(
        (page) => {
          const found = page[key] as readonly Item[];
          setState((last) => ({
            list,
            items: after === undefined ? found : [...last.items, ...found],
            next: page["next"] as string | number | null,
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
    if (isKept) return () => keepAnswer(latest.current.list, firstPage(latest.current, Number(query["limit"])));
  }, []);
  const isCurrent = state.list === list;
  const { items, next, error, loading } = isCurrent ? state : nothing;
  return {
    items,
    error,
    isLoading: path !== undefined && (!isCurrent || loading === "first"),
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
