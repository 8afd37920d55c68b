import type { JSX } from "preact";
import { fixed } from "../../format.ts";

/** A mean over rows with its standard error. */
export function MeanValue(props: { readonly mean: number | null; readonly standardError: number | null }): JSX.Element {
  const { mean, standardError } = props;
  if (mean === null) return <span class="muted">–</span>;
  return (
    <span class="num">
      {fixed(mean)}
      {standardError !== null && (
        <span class="muted mean-error" title="Standard error of the mean over rows">
          {" ± "}
          {fixed(standardError)}
        </span>
      )}
    </span>
  );
}
