import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ask } from "./api.ts";
import { keepAnswer, keptAnswer } from "./kept-answers.ts";
import { searchOf } from "./router.ts";
import type { Query } from "./router.ts";

/** Something of the API on its way to the screen. While it is loaded again, the old one stays. */
export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Puts something in its place, such as what a POST has just answered. */
  readonly replace: (data: T) => void;
}

/**
 * Loads `GET path` when the component appears and whenever path or query change; an undefined path loads nothing.
 * A request that nobody waits for any more is aborted. With `isKept`, whoever comes back sees what was there at once.
 */
export function useResource<T>(
  path: `/api/${string}` | undefined,
  query?: Query,
  { isKept = false }: { readonly isKept?: boolean } = {},
): Resource<T> {
  const search = searchOf(query ?? {});
  const key = `${path ?? ""}?${search}`;
  const [state, setState] = useState<State<T>>(() => {
    const data = isKept ? (keptAnswer(key) as T | undefined) : undefined;
    return data === undefined ? nothing : { ...nothing, key, data };
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (path === undefined) return setState(nothing);
    const abort = new AbortController();
    const { signal } = abort;
    setState((last) => ({ ...(last.key === key ? last : nothing), key, isLoading: true }));
    ask<T>(`GET ${path}`, { query: Object.fromEntries(new URLSearchParams(search)), signal }).then(
      (data) => {
        if (isKept) keepAnswer(key, data);
        setState({ key, data, error: undefined, isLoading: false });
      },
      (error: unknown) => {
        if (!signal.aborted) setState((last) => ({ ...last, error, isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((last) => last + 1), []);
  const replace = useCallback((data: T) => setState({ key, data, error: undefined, isLoading: false }), [key]);
  const isCurrent = state.key === key;
  return {
    data: isCurrent ? state.data : undefined,
    error: isCurrent ? state.error : undefined,
    isLoading: path !== undefined && (state.isLoading || !isCurrent),
    reload,
    replace,
  };
}

interface State<T> {
  readonly key: string;
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
}

const nothing = { key: "", data: undefined, error: undefined, isLoading: false };

/** A request that a person makes: `const save = usePost(…)`, then `save.run(…)`; `isBusy` and `error` are for the form. */
export interface Deed<Input, Output> {
  /** Gives undefined where it failed; the error is in `error`. */
  readonly run: (input: Input) => Promise<Output | undefined>;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly clear: () => void;
}

/** `const answer = usePost((ids: string[]) => ask("POST /api/approvals/answer", { body: { ids } }))`. */
export function usePost<Input = void, Output = unknown>(
  request: (input: Input, signal: AbortSignal) => Promise<Output>,
): Deed<Input, Output> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const abort = useRef<AbortController>(null);
  const latest = useRef(request);
  latest.current = request;
  // What was sent stays sent when the component goes; only the answer is no longer waited for.
  useEffect(() => () => abort.current?.abort(), []);
  const run = useCallback(async (input: Input) => {
    const own = (abort.current = new AbortController());
    setBusy(true);
    setError(undefined);
    try {
      return await latest.current(input, own.signal);
    } catch (fault) {
      if (!own.signal.aborted) setError(fault);
      return undefined;
    } finally {
      if (!own.signal.aborted) setBusy(false);
    }
  }, []);
  const clear = useCallback(() => setError(undefined), []);
  return { run, isBusy, error, clear };
}
