import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

export interface Shortcut {
  /** `r`, `?`, `mod+k` (Ctrl, or Cmd on a Mac), or a sequence of two: `g t`. */
  readonly keys: string;
  readonly what: string;
  readonly run: () => void;
}

/** The active shortcuts; `?` lists them. */
export const shortcuts = signal<readonly Shortcut[]>([]);

/** Registers a shortcut while the component is mounted. Only `mod+…` works in text fields and under dialogs. */
export function useShortcut(keys: string, what: string, run: () => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const shortcut: Shortcut = { keys, what, run: () => latest.current() };
    shortcuts.value = [...shortcuts.peek(), shortcut];
    return () => {
      shortcuts.value = shortcuts.peek().filter((each) => each !== shortcut);
    };
  }, [keys, what]);
}

let first: { readonly key: string; readonly at: number } | undefined;

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey) return;
  const isMod = event.ctrlKey || event.metaKey;
  if (!isMod && isTyping(event)) return;
  const key = isMod ? `mod+${event.key.toLowerCase()}` : event.key;
  const pair = first && event.timeStamp - first.at < 1200 ? `${first.key} ${key}` : undefined;
  // The newest wins: shortcuts of a view override those of the shell.
  const found =
    shortcuts.value.findLast(({ keys }) => keys === pair) ?? shortcuts.value.findLast(({ keys }) => keys === key);
  first = isMod || found ? undefined : { key, at: event.timeStamp };
  if (!found) return;
  event.preventDefault();
  found.run();
});

function isTyping({ target }: Event): boolean {
  if (document.querySelector("dialog[open]")) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "range"].includes(target.type);
  return target.isContentEditable || /^(textarea|select)$/i.test(target.tagName);
}
