import { useRef } from "preact/hooks";
import type { PagedList } from "../../paged-list.ts";

/** A list that may still show the previous filter. */
export interface StaleableList<Item> extends PagedList<Item> {
  readonly isStale: boolean;
}

/** Keeps the previous rows while those of a new filter load. */
export function useKeepPrevious<Item>(list: PagedList<Item>): StaleableList<Item> {
  const { items, hasMore, isLoading, error } = list;
  const last = useRef({ items, hasMore });
  const isStale = isLoading && items.length === 0 && error === undefined && last.current.items.length > 0;
  if (!isStale) last.current = { items, hasMore };
  return { ...list, ...last.current, isStale };
}
