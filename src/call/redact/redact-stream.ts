import type { Finder } from "./finder.ts";
import { replaceSpans } from "./spans.ts";

export interface RedactingStream {
  /** What may go on now. */
  push(chunk: string): string;
  /** The rest. */
  end(): string;
}

/** Lets go of text as soon as it can no longer be a part of a secret; holds back little more than the longest form. */
export function redactStream(finder: Finder): RedactingStream {
  let held = "";
  /** How many of the first held characters belong to a secret whose label has gone out. */
  let covered = 0;
  return {
    push(chunk) {
      held += chunk;
      const { spans, open } = finder.openSpans(held, covered);
      const begun = spans.filter(({ start }) => start < open);
      const released = replaceSpans(held.slice(0, open), begun);
      covered = Math.max(0, (begun.at(-1)?.end ?? covered) - open);
      held = held.slice(open);
      return released;
    },
    end() {
      const released = replaceSpans(held, finder.openSpans(held, covered).spans);
      held = "";
      covered = 0;
      return released;
    },
  };
}
