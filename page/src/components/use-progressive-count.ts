import { useEffect, useState } from "preact/hooks";

/** How many of `count` rows to render: one screen first for a fast paint, then all. */
export function useProgressiveCount(count: number): number {
  const [isAll, setAll] = useState(false);
  const hasAny = count > 0;
  useEffect(() => {
    if (!hasAny) return;
    const timer = setTimeout(() => setAll(true), afterFirstFrameMs);
    return () => clearTimeout(timer);
  }, [hasAny]);
  return isAll ? count : Math.min(count, firstScreen);
}

const afterFirstFrameMs = 50;
const firstScreen = 24;
