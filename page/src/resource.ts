import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { addressOf, callApi } from "./api.ts";
import type { ApiRequest, ApiResponse, ApiRoute } from "./api.ts";
import { cacheResponse, cachedResponse } from "./response-cache.ts";

/** A resource of the API. The old data stays while it reloads. */
export interface Resource<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
  /** Replaces the data, for example with the response of a POST. */
  readonly replace: (data: T) => void;
}

/** The paths that can be loaded, such as `/api/runs/:id`. */
export type ResourcePath = ApiRoute extends infer Route ? (Route extends `GET ${infer Path}` ? Path : never) : never;

/**
 * Loads a path on mount and whenever its request changes. An undefined request loads nothing. Obsolete requests are
 * aborted. With `isCached`, a view that opens again starts with the previous data.
 */
export function useResource<Path extends ResourcePath>(
  path: Path,
  request: ApiRequest<`GET ${Path}`> | undefined,
  { isCached = false }: { readonly isCached?: boolean } = {},
): Resource<ApiResponse<`GET ${Path}`>> {
  type T = ApiResponse<`GET ${Path}`>;
  const key = request === undefined ? "" : addressOf(path, request);
  const [state, setState] = useState<State<T>>(() => {
    const data = isCached ? (cachedResponse(key) as T | undefined) : undefined;
    return data === undefined ? nothing : { ...nothing, key, data };
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (request === undefined) return setState(nothing);
    const abort = new AbortController();
    const { signal } = abort;
    setState((last) => ({ ...(last.key === key ? last : nothing), key, isLoading: true }));
    const loading = (takePreloaded(key) as Promise<T> | undefined) ?? callApi(`GET ${path}`, { ...request, signal });
    loading.then(
      (data: T) => {
        if (signal.aborted) return;
        if (isCached) cacheResponse(key, data);
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
    isLoading: request !== undefined && (state.isLoading || !isCurrent),
    reload,
    replace,
  };
}

/** Loads what is about to be opened. The next `useResource` of the same request gets the response. */
export function preload<Path extends ResourcePath>(path: Path, request: ApiRequest<`GET ${Path}`>): void {
  const loading = callApi(`GET ${path}`, request as never);
  loading.catch(() => undefined);
  preloaded = { key: addressOf(path, request), loading };
}

let preloaded: { readonly key: string; readonly loading: Promise<unknown> } | undefined;

function takePreloaded(key: string): Promise<unknown> | undefined {
  const taken = preloaded?.key === key ? preloaded.loading : undefined;
  preloaded = undefined;
  return taken;
}

interface State<T> {
  readonly key: string;
  readonly data: T | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
}

const nothing = { key: "", data: undefined, error: undefined, isLoading: false };

/** A request started by the user. Forms show `isBusy` and `error`. */
export interface Mutation<Input, Output> {
  /** Resolves to undefined on failure; the error is in `error`. */
  readonly run: (input: Input) => Promise<Output | undefined>;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly clear: () => void;
}

/** `const answer = useMutation((ids: string[]) => callApi("POST /api/approvals/answer", { body: { ids } }))`. */
export function useMutation<Input = void, Output = unknown>(
  request: (input: Input, signal: AbortSignal) => Promise<Output>,
): Mutation<Input, Output> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const abort = useRef<AbortController>(null);
  const latest = useRef(request);
  latest.current = request;
  // Unmounting does not undo the request; it only stops waiting for the response.
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
