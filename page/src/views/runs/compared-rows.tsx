import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type {
  ComparedRow,
  RunComparisonDetail,
} from "../../../../packages/biplane/src/admin/runs/run-comparison-api.ts";
import { endingLabel } from "../../../../packages/biplane/src/rollout/ending-label.ts";
import { Button } from "../../components/button.tsx";
import { Search } from "../../components/field.tsx";
import { Empty } from "../../components/states.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { count, plural, precise } from "../../format.ts";
import { usePagedList } from "../../paged-list.ts";
import { pageLocation, setQuery } from "../../router.ts";
import { traceHref } from "../episodes/episode-lineage.tsx";
import { signed } from "./compared-runs.tsx";
import { useKeepPrevious } from "./keep-previous.ts";
import { compareHref } from "./picks.tsx";
import { letterOf } from "./run-letter.tsx";

/** The rows of all runs, those that changed most first. A row opens its rollouts. */
export function ComparedRows(props: {
  readonly comparison: RunComparisonDetail;
  readonly runs: string;
  readonly scoring: string;
}): JSX.Element {
  const { comparison, runs, scoring } = props;
  const { query = "" } = pageLocation.value.query;
  const list = useKeepPrevious(usePagedList("/api/run-comparison", "rows", { query: { runs, scoring, query } }));
  const { total, changed } = comparison;
  const common = commonRollouts(list.items);
  const [isWhole, setWhole] = useState(false);
  // Rows that are equal say nothing new. They follow those that changed.
  const isFolded = !isWhole && query === "" && changed > 0 && total - changed > 2;
  const shown = isFolded ? list.items.filter(isChanged) : list.items;
  return (
    <section class="stack-tight">
      <div class="row compared-rows-head">
        <h2>Rows</h2>
        <span class="muted">
          {count(changed)} of {plural(total, "row")} changed, those that changed most first
          {common !== undefined && `, each value is the mean of ${count(common)} rollouts`}
        </span>
        <span class="grow" />
        <Search label="Search rows" value={query} onInput={(text) => setQuery({ query: text })} />
      </div>
      <div class={list.isStale ? "run-stale" : undefined} aria-busy={list.isStale}>
        <Table
          label="Rows by run"
          list={
            isFolded ? { ...list, items: shown, hasMore: list.hasMore && shown.length === list.items.length } : list
          }
          keyOf={({ rowId }) => rowId}
          hrefOf={rowHref}
          columns={columnsFor(comparison.runs.length, { common, noValue: scoring === "" ? "no reward" : "no score" })}
          empty={<Empty title={query === "" ? "No rollout has finished yet" : "No matching rows"} icon="runs" />}
        />
      </div>
      {isFolded && list.items.length > 0 && (
        <div>
          <Button size="small" icon="down" onClick={() => setWhole(true)}>
            Show {plural(total - changed, "row")} without a change
          </Button>
        </div>
      )}
    </section>
  );
}

function isChanged({ change }: ComparedRow): boolean {
  return change !== null && change !== 0;
}

/** The first two rollouts side by side, or the only one. */
function rowHref({ cells }: ComparedRow): string {
  const base = cells[0];
  const other = cells.slice(1).find((cell) => cell !== null);
  const [left, right] = [base?.trace, other?.trace];
  if (left !== undefined && right !== undefined) return compareHref(left, right);
  return traceHref(left ?? right ?? "");
}

/** How many rollouts each value is the mean of. Undefined if that differs, or if there are no means. */
function commonRollouts(rows: readonly ComparedRow[]): number | undefined {
  const numbers = new Set(rows.flatMap(({ cells }) => cells.flatMap((cell) => cell?.rollouts ?? [])));
  const [only] = numbers;
  return numbers.size === 1 && only !== undefined && only > 1 ? only : undefined;
}

interface CellTexts {
  readonly common: number | undefined;
  /** Shown instead of a missing value. */
  readonly noValue: string;
}

function columnsFor(runs: number, texts: CellTexts): readonly Column<ComparedRow>[] {
  return [
    {
      title: "Row",
      cell: ({ rowId, change }) => (
        <span
          class="row-changed"
          data-change={change === null || change === 0 ? "none" : change > 0 ? "better" : "worse"}
        >
          <Text value={rowId} maxLength={80} isFixed />
        </span>
      ),
      class: "row-column",
    },
    ...Array.from({ length: runs }, (_, at) => columnsOfRun(at, runs, texts)).flat(),
  ];
}

/** The score of a run and, for the others, how it differs from the first: on a phone, below the score. */
function columnsOfRun(at: number, runs: number, texts: CellTexts): readonly Column<ComparedRow>[] {
  const score: Column<ComparedRow> = {
    title: letterOf(at),
    cell: (row) => <Cell row={row} at={at} {...texts} />,
    width: `min(${runs > 4 || texts.common !== undefined ? 7 : 11}rem, 22vw)`,
    align: "end",
    isWide: at > 2,
  };
  if (at === 0) return [score];
  return [
    { ...score, class: "compared-run", under: (row) => <Delta row={row} at={at} isShort /> },
    {
      title: `Δ ${letterOf(at)}`,
      about: `${letterOf(at)} minus A`,
      cell: (row) => <Delta row={row} at={at} />,
      width: `min(${runs > 4 ? 5 : 6}rem, 20vw)`,
      align: "end",
      isWide: true,
    },
  ];
}

function Cell(props: CellTexts & { readonly row: ComparedRow; readonly at: number }): JSX.Element {
  const { row, at, common, noValue } = props;
  const cell = row.cells[at];
  if (!cell) return <span class="muted">not in this run</span>;
  const { score, ending, steps, rollouts } = cell;
  return (
    <span class="compared-cell" title={`${endingLabel(ending).slice(0, 100)} after ${plural(steps, "step")}`}>
      <span class="muted small ellipsis compare-ending">
        {rollouts === 1 ? (
          <Text value={endingLabel(ending)} maxLength={40} isFixed />
        ) : (
          common === undefined && `mean of ${count(rollouts)}`
        )}
      </span>
      {score === null ? <span class="muted">{noValue}</span> : <span class="num">{precise(score)}</span>}
    </span>
  );
}

/** The difference from the first run. If short, only one that is not 0. */
function Delta(props: { readonly row: ComparedRow; readonly at: number; readonly isShort?: boolean }) {
  const { row, at, isShort = false } = props;
  const [first, own] = [row.cells[0]?.score, row.cells[at]?.score];
  const isKnown = typeof first === "number" && typeof own === "number";
  const delta = isKnown ? own - first : 0;
  if (Math.abs(delta) < 1e-9) return isShort ? null : <span class="muted">{isKnown ? "0" : "–"}</span>;
  return <span class={`delta num ${delta > 0 ? "delta-better" : "delta-worse"}`}>{signed(delta)}</span>;
}
