import { useEffect, useRef } from "preact/hooks";
import { useShortcut } from "../../shortcuts.ts";

/** Goes through steps by key: arrows, Home and End, and Space to let it play. */
export function useStepKeys(steps: {
  readonly move: (to: number) => void;
  readonly toggle: () => void;
  readonly at: number;
  readonly last: number;
}): void {
  const latest = useRef(steps);
  latest.current = steps;
  // Only told of, for the list behind `?`: Space and arrows mean something else to a button or a field in focus.
  useShortcut("← →", "The step before or after", nothing);
  useShortcut("Home End", "The first or the last step", nothing);
  useShortcut("Space", "Play through the steps", nothing);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { at, last, move, toggle } = latest.current;
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (isBusyElsewhere(event)) return;
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

/** Somebody types, presses a button by Space, or scrolls something that is too wide. */
function isBusyElsewhere({ target, key }: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]")) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === "range") return key !== " ";
  if (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName)) return true;
  if (key === " ") return /^(button|a|summary)$/i.test(target.tagName);
  return target.getAttribute("role") === "region" && target.scrollWidth > target.clientWidth;
}
