import type { JSX } from "preact";
import type { OpenedRun } from "../../../../src/desk/contract.ts";
import { count, decimal } from "../../format.ts";

type Bin = OpenedRun["distribution"][number];

/** Which rewards there were, and how often. A column can be chosen to see its rollouts. */
export function Distribution(props: {
  readonly bins: readonly Bin[];
  readonly isChosen: (bin: Bin) => boolean;
  readonly onChoose: (bin: Bin) => void;
}): JSX.Element {
  const { bins, isChosen, onChoose } = props;
  const most = Math.max(1, ...bins.map((bin) => bin.count));
  const every = Math.max(1, Math.ceil(bins.length / 8));
  if (bins.length === 0) return <p class="muted">No rollout is over yet.</p>;
  return (
    <figure class="run-distribution">
      <ul aria-label="Rewards by how often they came">
        {bins.map((bin, at) => (
          <li key={bin.from}>
            <button
              type="button"
              class="run-column"
              aria-pressed={isChosen(bin)}
              aria-label={inWords(bin)}
              title={inWords(bin)}
              onClick={() => onChoose(bin)}
            >
              <span class="run-column-count num">{bin.count > 0 && (bins.length <= 12 ? count(bin.count) : "")}</span>
              <span
                class="run-column-bar"
                style={{ height: `${bin.count === 0 ? 0 : Math.max(2, (bin.count / most) * 100)}%` }}
              />
            </button>
            <span class="run-column-name num" aria-hidden="true">
              {at % every === 0 ? decimal(bin.from, 2) : ""}
            </span>
          </li>
        ))}
      </ul>
      <figcaption class="muted small end">rollouts by reward</figcaption>
    </figure>
  );
}

function inWords({ from, to, count: number }: Bin): string {
  const range = from === to ? `Reward ${decimal(from)}` : `Reward ${decimal(from)} to ${decimal(to)}`;
  return `${range}: ${count(number)}`;
}
