import type { JSX } from "preact";
import { duration } from "../format.ts";

/** How long something took that often takes less than a millisecond. */
export function Took({ ms }: { readonly ms: number }): JSX.Element {
  return (
    <span class="num" title={`${ms} ms`}>
      {ms < 1 ? `${Math.round(ms * 1000)} µs` : duration(ms)}
    </span>
  );
}
