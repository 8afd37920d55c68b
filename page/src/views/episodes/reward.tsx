import type { JSX } from "preact";
import { precise } from "../../format.ts";

/** A coloured reward. Null means that the step returned no reward. */
export function Reward({
  value,
  isSigned = false,
}: {
  readonly value: number | null;
  readonly isSigned?: boolean;
}): JSX.Element {
  if (value === null) return <span class="muted">–</span>;
  const tone = value > 0 ? "text-good" : value < 0 ? "text-bad" : isSigned ? "muted" : "";
  return (
    <span class={`num ${tone}`}>
      {isSigned && value > 0 ? "+" : ""}
      {precise(value)}
    </span>
  );
}
