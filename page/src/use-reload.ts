import { useEffect } from "preact/hooks";

/** Calls `reload` every `ms` milliseconds while the page is visible. */
export function useReload(reload: () => void, ms: number): void {
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), ms);
    return () => clearInterval(timer);
  }, [reload, ms]);
}

/** Loads a list again every few seconds, unless more than one page of it is loaded. */
export function useListReload({ items, reload }: List): void {
  useReload(items.length > 100 ? doNothing : reload, 5000);
}

interface List {
  readonly items: readonly unknown[];
  readonly reload: () => void;
}

const doNothing = (): void => undefined;
