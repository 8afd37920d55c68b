import { useEffect, useState } from "preact/hooks";

/** How many rows of so many to draw: a screenful at first, so that there is something to see, and soon all of them. */
export function useDrawn(count: number): number {
  const [isAll, setAll] = useState(false);
  const hasAny = count > 0;
  useEffect(() => {
    if (!hasAny) return;
    const timer = setTimeout(() => setAll(true), afterFirstFrameMs);
    return () => clearTimeout(timer);
  }, [hasAny]);
  return isAll ? count : Math.min(count, screenful);
}

const afterFirstFrameMs = 50;
const screenful = 24;
