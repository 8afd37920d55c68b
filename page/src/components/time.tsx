import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { clock, duration, moment, relative } from "../format.ts";

/** A moment as one says it, with the whole of it as its title. It keeps up with time by itself. */
export function Time({ at, isExact = false }: { readonly at: string; readonly isExact?: boolean }): JSX.Element {
  return (
    <time class="num" dateTime={at} title={moment(at)}>
      {isExact ? clock(at) : relative(at, Math.max(tick.value, Date.now()))}
    </time>
  );
}

export function Duration({ ms }: { readonly ms: number }): JSX.Element {
  return (
    <span class="num" title={`${ms} ms`}>
      {duration(ms)}
    </span>
  );
}

/** One clock for all times on the screen. */
const tick = signal(Date.now());
setInterval(() => {
  if (!document.hidden) tick.value = Date.now();
}, 5000);
