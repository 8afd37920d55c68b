import { useEffect } from "preact/hooks";
import type { Pages } from "../../pages.ts";

/** A list of which only some is shown. Where a page has none of these, the next one is loaded by itself. */
export function useFiltered<Item>(pages: Pages<Item>, fits: (item: Item) => boolean): Pages<Item> {
  const items = pages.items.filter(fits);
  const isSeeking = items.length === 0 && pages.hasMore && pages.error === undefined;
  useEffect(() => {
    if (isSeeking && !pages.isLoading && !pages.isLoadingMore) pages.more();
  }, [isSeeking, pages.isLoading, pages.isLoadingMore, pages.items]);
  return { ...pages, items, isLoading: pages.isLoading || isSeeking };
}
