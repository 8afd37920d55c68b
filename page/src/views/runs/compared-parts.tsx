import type { JSX } from "preact";
import type { ComparedRun } from "../../../../packages/biplane/src/admin/runs/run-comparison-api.ts";
import { endingLabel } from "../../../../packages/biplane/src/rollout/ending-label.ts";
import { Table } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { count, precise } from "../../format.ts";
import { signed } from "./compared-runs.tsx";
import { letterOf } from "./run-letter.tsx";

/** The mean of each part of reward or score, by run. */
export function ComparedParts({ runs }: { readonly runs: readonly ComparedRun[] }): JSX.Element {
  const names = [...new Set(runs.flatMap(({ parts }) => Object.keys(parts)))].slice(0, maxRows);
  return (
    <ByRun
      label="Parts by run"
      title="Part"
      width="8rem"
      names={names}
      nameOf={(name) => name}
      runs={runs}
      cell={(name, { parts }, at) => {
        const [value, first] = [parts[name], runs[0]?.parts[name]];
        if (value === undefined) return <span class="muted">–</span>;
        const change = at === 0 || first === undefined || Math.abs(value - first) < 1e-9 ? 0 : value - first;
        return (
          <>
            {precise(value)}
            {change !== 0 && <span class={change > 0 ? "text-good" : "text-bad"}> {signed(change)}</span>}
          </>
        );
      }}
    />
  );
}

/** The number of rollouts of each ending, by run. */
export function ComparedEndings({ runs }: { readonly runs: readonly ComparedRun[] }): JSX.Element {
  const total = (ending: string) => runs.reduce((sum, { endings }) => sum + (endings[ending] ?? 0), 0);
  const names = [...new Set(runs.flatMap(({ endings }) => Object.keys(endings)))]
    .sort((one, other) => total(other) - total(one))
    .slice(0, maxRows);
  return (
    <ByRun
      label="Endings by run"
      title="Ending"
      width="5rem"
      names={names}
      nameOf={endingLabel}
      runs={runs}
      cell={(name, { endings }) => (endings[name] === undefined ? <span class="muted">0</span> : count(endings[name]))}
    />
  );
}

const maxRows = 40;

function ByRun(props: {
  readonly label: string;
  readonly title: string;
  readonly width: string;
  readonly names: readonly string[];
  readonly nameOf: (name: string) => string;
  readonly runs: readonly ComparedRun[];
  readonly cell: (name: string, run: ComparedRun, at: number) => JSX.Element | string;
}): JSX.Element {
  const { label, title, width, names, nameOf, runs, cell } = props;
  return (
    <Table
      label={label}
      list={{ items: names }}
      keyOf={(name) => name}
      columns={[
        { title, cell: (name) => <Text value={nameOf(name)} maxLength={80} isFixed />, isWrapped: true },
        ...runs.map((run, at) => ({
          title: letterOf(at),
          cell: (name: string) => cell(name, run, at),
          width: `min(${runs.length > 3 ? "5rem" : width}, ${runs.length > 2 ? 14 : 20}vw)`,
          align: "end" as const,
          // On a phone the first ones have space.
          isWide: at > 2,
        })),
      ]}
      empty={<p class="muted run-more">None yet.</p>}
    />
  );
}
