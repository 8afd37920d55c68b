import type { JSX } from "preact";

/** Short names of the compared runs: A, B, C … */
export function letterOf(at: number): string {
  return String.fromCharCode(65 + at);
}

export function RunLetter({ at }: { readonly at: number }): JSX.Element {
  return <span class="run-letter">{letterOf(at)}</span>;
}
