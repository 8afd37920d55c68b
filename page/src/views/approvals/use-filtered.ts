import { useEffect } from "preact/hooks";
import type { PagedList } from "../../paged-list.ts";

/** Filters a list in the browser. Loads further pages while no item matches. */
export function useFiltered<Item>(pages: PagedList<Item>, matches: (item: Item) => boolean): PagedList<Item> {
  const items = pages.items.filter(matches);
  const isSeeking = items.length === 0 && pages.hasMore && pages.error === undefined;
  useEffect(() => {
    if (isSeeking && !pages.isLoading && !pages.isLoadingMore) pages.more();
  }, [isSeeking, pages.isLoading, pages.isLoadingMore, pages.items]);
  return { ...pages, items, isLoading: pages.isLoading || isSeeking };
}
