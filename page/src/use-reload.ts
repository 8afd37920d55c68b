import { useEffect } from "preact/hooks";

/** Calls `reload`, unless it is undefined, every `ms` milliseconds while the page is visible. */
export function useReload(reload: (() => void) | undefined, ms: number): void {
  useEffect(() => {
    if (!reload) return;
    const timer = setInterval(() => document.hidden || reload(), ms);
    return () => clearInterval(timer);
  }, [reload, ms]);
}

/** Loads a list again every few seconds, unless more than one page of it is loaded. */
export function useListReload({ items, reload }: List): void {
  useReload(items.length > 100 ? undefined : reload, 5000);
}

interface List {
  readonly items: readonly unknown[];
  readonly reload: () => void;
}
