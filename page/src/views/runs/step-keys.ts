import { useEffect, useRef } from "preact/hooks";
import { useShortcut } from "../../shortcuts.ts";

/** Keys for the steps: arrows, Home, End, and Space to play. */
export function useStepKeys(steps: {
  readonly move: (to: number) => void;
  readonly toggle: () => void;
  readonly at: number;
  readonly last: number;
}): void {
  const latest = useRef(steps);
  latest.current = steps;
  // Registered only for the `?` list. The listener below handles them, because a focused control needs these keys.
  useShortcut("← →", "Previous or next step", nothing);
  useShortcut("Home End", "First or last step", nothing);
  useShortcut("Space", "Play or pause the steps", nothing);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { at, last, move, toggle } = latest.current;
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (isNeededElsewhere(event)) return;
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
      if (to === undefined && event.key !== " ") return;
      event.preventDefault();
      if (to === undefined) toggle();
      else move(Math.min(last, Math.max(0, to)));
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

const nothing = () => undefined;

/** True if the focused element needs the key itself. */
function isNeededElsewhere({ target, key }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]")) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === "range") return key !== " ";
  if (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName)) return true;
  if (key === " ") return /^(button|a|summary)$/i.test(target.tagName);
  return target.getAttribute("role") === "region" && target.scrollWidth > target.clientWidth;
}
