import { useEffect } from "preact/hooks";

/** Loads a list again every few seconds while the page is visible, unless more than one page of it is loaded. */
export function useReload(list: { readonly items: readonly unknown[]; readonly reload: () => void }): void {
  const { items, reload } = list;
  useEffect(() => {
    const timer = setInterval(() => document.hidden || items.length > 100 || reload(), reloadMs);
    return () => clearInterval(timer);
  }, [items.length]);
}

const reloadMs = 5000;
