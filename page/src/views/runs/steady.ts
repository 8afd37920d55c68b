import { useRef } from "preact/hooks";
import type { Pages } from "../../pages.ts";

/** A list, and whether it is still that of the question before. */
export interface Steady<Item> extends Pages<Item> {
  readonly isStale: boolean;
}

/** While the answer to another question is on its way, the one before stays in sight. */
export function useSteady<Item>(list: Pages<Item>): Steady<Item> {
  const { items, hasMore, isLoading, error } = list;
  const last = useRef({ items, hasMore });
  const isStale = isLoading && items.length === 0 && error === undefined && last.current.items.length > 0;
  if (!isStale) last.current = { items, hasMore };
  return { ...list, ...last.current, isStale };
}
