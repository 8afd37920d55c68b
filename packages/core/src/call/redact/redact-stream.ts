import type { Finder } from "./finder.ts";
import { replaceSpans } from "./spans.ts";

export interface RedactingStream {
  /** Returns the text that is safe to emit now. */
  push(chunk: string): string;
  /** Returns the rest. */
  end(): string;
}

/** Emits text as soon as it cannot be part of a secret. Buffers little more than the longest form. */
export function redactStream(finder: Finder): RedactingStream {
  let held = "";
  /** How many characters at the start of `held` belong to a secret that was already replaced. */
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
