import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Turn } from "./turns.ts";

interface DrawnTurns {
  readonly from: number;
  readonly to: number;
}

/**
 * Keeps a scrolled transcript and a position in step, and says which turns to draw: those around the visible ones, so
 * that a rollout of thousands of steps opens at once.
 */
export function useStepScroll(
  box: RefObject<HTMLElement | null>,
  options: { readonly turns: readonly Turn[]; readonly at: number; readonly onMove: (at: number) => void },
): DrawnTurns {
  const { turns, at } = options;
  const latest = useRef(options);
  latest.current = options;
  const [drawn, setDrawn] = useState<DrawnTurns>(() => around(at, turns.length));
  const shown = drawn.from <= at && at < drawn.to ? drawn : around(at, turns.length);
  if (shown !== drawn) setDrawn(shown);
  /** A position that scrolling gave, which needs no scrolling. */
  const scrolledTo = useRef(-1);
  const isOwnScroll = useRef(false);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element || scrolledTo.current === at) return;
    scrolledTo.current = at;
    const turn = element.querySelector<HTMLElement>(`[data-position="${at}"]`);
    if (!turn) return;
    const top = Math.min(turn.offsetTop - element.offsetTop, element.scrollHeight - element.clientHeight);
    if (Math.abs(element.scrollTop - top) < 1) return;
    isOwnScroll.current = true;
    element.scrollTop = top;
  }, [at, shown.from, shown.to]);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let frame = 0;
    const onScroll = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        setDrawn((last) => extended(last, element, latest.current.turns.length));
        if (isOwnScroll.current) {
          isOwnScroll.current = false;
          return;
        }
        const position = visiblePosition(element);
        if (position === undefined || position === latest.current.at) return;
        scrolledTo.current = position;
        latest.current.onMove(position);
      });
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener("scroll", onScroll);
    };
  }, []);
  return { from: shown.from, to: Math.min(shown.to, turns.length) };
}

const before = 10;
const after = 30;

function around(at: number, length: number): DrawnTurns {
  return { from: Math.max(0, at - before), to: Math.min(length, at + after) };
}

/** Draws more where the reader comes near the edge. */
function extended(last: DrawnTurns, element: HTMLElement, length: number): DrawnTurns {
  const isNearTop = element.scrollTop < element.clientHeight;
  const isNearEnd = element.scrollHeight - element.scrollTop - element.clientHeight < element.clientHeight;
  const from = isNearTop ? Math.max(0, last.from - before) : last.from;
  const to = isNearEnd ? Math.min(length, last.to + after) : last.to;
  return from === last.from && to === last.to ? last : { from, to };
}

/** The turn that a reader sees at the top, or the last one at the end. */
function visiblePosition(element: HTMLElement): number | undefined {
  const turns = [...element.querySelectorAll<HTMLElement>("[data-position]")];
  const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 2;
  const line = element.scrollTop + Math.min(80, element.clientHeight / 4);
  const found = isAtEnd
    ? turns.at(-1)
    : turns.find((turn) => turn.offsetTop - element.offsetTop + turn.offsetHeight > line);
  return found ? Number(found.dataset["position"]) : undefined;
}
