import type { RefObject } from "preact";
import { useShortcut } from "../../shortcuts.ts";

export interface QueueKeys {
  readonly toggle: (id: string) => void;
  readonly approve: () => void;
  readonly reject: () => void;
}

/**
 * j and k move through the queue, x selects, a and r answer the selection. Returns a key listener for the list, because
 * shortcuts do not work while a checkbox has the focus.
 */
export function useQueueKeys(list: RefObject<HTMLElement | null>, keys: QueueKeys): (event: KeyboardEvent) => void {
  const move = (step: number) => {
    const rows = rowsIn(list.current);
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    const next = at < 0 ? (step > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + step));
    rows[next]?.querySelector<HTMLElement>(".approvals-open")?.focus();
  };
  const toggle = () => {
    const id = rowsIn(list.current).find((row) => row.contains(document.activeElement))?.dataset["approval"];
    if (id !== undefined) keys.toggle(id);
  };
  const table: Readonly<Record<string, () => void>> = {
    j: () => move(1),
    k: () => move(-1),
    x: toggle,
    a: keys.approve,
    r: keys.reject,
  };
  useShortcut("j", "Next call", () => table["j"]?.());
  useShortcut("k", "Previous call", () => table["k"]?.());
  useShortcut("x", "Select the call", toggle);
  useShortcut("a", "Approve the selected calls once", keys.approve);
  useShortcut("r", "Reject the selected calls", keys.reject);
  return (event) => {
    const isBox = event.target instanceof HTMLInputElement && event.target.type === "checkbox";
    const run = table[event.key];
    if (!isBox || !run || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    event.preventDefault();
    run();
  };
}

function rowsIn(list: HTMLElement | null): readonly HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>("[data-approval]") ?? [])];
}
