import type { JSX } from "preact";
import type { RunDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { count, precise } from "../../format.ts";

type Bin = RunDetail["distribution"][number];

/** A histogram of rewards. Selecting a column filters the rollouts. */
export function Distribution(props: {
  readonly bins: readonly Bin[];
  readonly isChosen: (bin: Bin) => boolean;
  readonly onChoose: (bin: Bin) => void;
}): JSX.Element {
  const { bins, isChosen, onChoose } = props;
  const max = Math.max(1, ...bins.map((bin) => bin.count));
  const every = Math.max(1, Math.ceil(bins.length / 8));
  if (bins.length === 0) return <p class="muted">No rollout has a reward yet.</p>;
  return (
    <figure class="run-distribution">
      <ul aria-label="Reward histogram">
        {bins.map((bin, at) => (
          <li key={bin.from}>
            <button
              type="button"
              class="run-column"
              aria-pressed={isChosen(bin)}
              aria-label={binLabel(bin)}
              title={binLabel(bin)}
              onClick={() => onChoose(bin)}
            >
              <span class="run-column-count num">{bin.count > 0 && (bins.length <= 12 ? count(bin.count) : "")}</span>
              <span
                class="run-column-bar"
                style={{ height: `${bin.count === 0 ? 0 : Math.max(2, (bin.count / max) * 100)}%` }}
              />
            </button>
            <span class="run-column-name num" aria-hidden="true">
              {at % every === 0 ? precise(bin.from) : ""}
            </span>
          </li>
        ))}
      </ul>
      <figcaption class="muted small end">rollouts by reward</figcaption>
    </figure>
  );
}

function binLabel({ from, to, count: number }: Bin): string {
  const range = from === to ? `Reward ${precise(from)}` : `Reward ${precise(from)} to ${precise(to)}`;
  return `${range}: ${count(number)}`;
}
