import { useEffect, useState } from "preact/hooks";

/** True while the window has at least this width, in pixels. */
export function useIsWide(width: number): boolean {
  const [isWide, setWide] = useState(() => matchMedia(`(min-width: ${width}px)`).matches);
  useEffect(() => {
    const query = matchMedia(`(min-width: ${width}px)`);
    const follow = () => setWide(query.matches);
    follow();
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, [width]);
  return isWide;
}
