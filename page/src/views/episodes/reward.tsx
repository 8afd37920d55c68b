import type { JSX } from "preact";
import { precise } from "../../format.ts";

/** A coloured reward. Null means that the step returned no reward. */
export function Reward({
  value,
  isSigned = false,
  isBad = false,
}: {
  readonly value: number | null;
  readonly isSigned?: boolean;
  /** Too low, even if it is not below 0. */
  readonly isBad?: boolean;
}): JSX.Element {
  if (value === null) return <span class="muted">–</span>;
  const tone = isBad || value < 0 ? "text-bad" : value > 0 ? "text-good" : isSigned ? "muted" : "";
  return (
    <span class={`num ${tone}`}>
      {isSigned && value > 0 ? "+" : ""}
      {precise(value)}
    </span>
  );
}
