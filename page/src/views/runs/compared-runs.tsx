import type { JSX } from "preact";
import type { ComparedRun } from "../../../../packages/biplane/src/admin/runs/run-comparison-api.ts";
import { Icon } from "../../components/icon.tsx";
import { Menu } from "../../components/menu.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { count, decimal, dollars, fixed, percent, plural, precise } from "../../format.ts";
import { go, href } from "../../router.ts";
import { MeanValue } from "./mean-value.tsx";
import { isPassOfOwn } from "./run-columns.tsx";
import { RunLetter, letterOf } from "./run-letter.tsx";
import { modelLabel, runTitle } from "./run-name.tsx";
import { compareRunsHref } from "./run-selection.tsx";
import { RunStatus } from "./run-status.tsx";

/** The compared runs with their means, intervals and wins. */
export function ComparedRuns({
  runs,
  isScore,
}: {
  readonly runs: readonly ComparedRun[];
  readonly isScore: boolean;
}): JSX.Element {
  return (
    <Table
      label="Compared runs"
      list={{ items: runs }}
      keyOf={({ run }) => run.id}
      hrefOf={({ run }) => href("runs", [run.id])}
      columns={columnsFor(runs, isScore)}
    />
  );
}

/** Which rows of a comparison are in no difference. */
function leftOut({ masked, onlyFirst, onlyHere }: NonNullable<ComparedRun["difference"]>): readonly string[] {
  return [
    ...(masked > 0 ? [`${plural(masked, "row")} without a score in one of the two`] : []),
    ...(onlyFirst > 0 ? [`${plural(onlyFirst, "row")} only in the first`] : []),
    ...(onlyHere > 0 ? [`${plural(onlyHere, "row")} only here`] : []),
  ];
}

function columnsFor(runs: readonly ComparedRun[], isScore: boolean): readonly (Column<ComparedRun> | false)[] {
  const range = rangeOf(runs);
  const hasCost = runs.some(({ run }) => run.cost !== null);
  const hasTokens = runs.some(({ run }) => run.tokens > 0);
  const hasPass = isPassOfOwn(runs.map(({ passRate, mean }) => ({ passRate, meanReward: mean })));
  return [
    {
      title: "Run",
      cell: (compared) => (
        <span class="run-cell-lettered">
          <RunLetter at={runs.indexOf(compared)} />
          <span class="run-cell" title={compared.run.id}>
            <span class="run-cell-title">
              <Text value={runTitle(compared.run)} maxLength={120} isFixed />
            </span>
            <span class="run-cell-about">
              <Text value={modelLabel(compared.run)} maxLength={60} isFixed />
              <span class={compared.run.name === null ? undefined : "roomy-only"}>
                {" · "}
                <Text value={compared.run.id} maxLength={60} isFixed isMono />
              </span>
            </span>
            <span class="run-cell-about run-phone-only num">
              {hasPass && compared.passRate !== null && `pass ${percent(compared.passRate)}`}
              {hasPass && compared.passRate !== null && compared.run.cost !== null && " · "}
              {compared.run.cost !== null && dollars(compared.run.cost)}
              {costRatio(compared, runs) !== "" && ` (${costRatio(compared, runs)})`}
            </span>
            {compared.difference && (
              <span class="run-cell-about run-phone-only">
                <Wins difference={compared.difference} />
              </span>
            )}
          </span>
        </span>
      ),
    },
    { title: "Status", cell: ({ run }) => <RunStatus run={run} />, width: "6.5rem", isRoomy: true },
    {
      title: isScore ? "Score" : "Reward",
      about: `Mean over rows, ± its standard error.${hasPass ? "" : " It equals the pass rate."}`,
      cell: ({ mean, standardError, difference }) => (
        <>
          <MeanValue mean={mean} standardError={standardError} />
          {difference && (
            <span class="run-phone-only run-phone-difference">
              <span class="muted small">Δ to A</span> <Difference difference={difference} />
            </span>
          )}
        </>
      ),
      width: "min(9.5rem, 42vw)",
      align: "end",
    },
    {
      title: `95% interval, ${precise(range[0])} to ${precise(range[1])}`,
      about: "The ends of the bars are these two values",
      cell: (compared) => <Interval compared={compared} range={range} />,
      width: "9.5rem",
      isWide: true,
    },
    hasPass && {
      title: "Pass",
      cell: ({ passRate }) => (passRate === null ? "–" : percent(passRate)),
      width: "4.5rem",
      align: "end",
      isWide: true,
    },
    {
      title: "Δ to A, 95% interval",
      about: "Mean difference to run A over common rows, and its 95% interval",
      cell: ({ difference }) => <Difference difference={difference} />,
      width: "9.25rem",
      align: "end",
      isWide: true,
    },
    {
      title: "Rows compared with A",
      cell: ({ difference }) => <Wins difference={difference} />,
      width: "12rem",
      isWide: true,
    },
    hasTokens && {
      title: "Tokens",
      cell: ({ run }) => count(run.tokens),
      width: "5rem",
      align: "end",
      isRoomy: true,
    },
    hasCost && {
      title: "Cost",
      cell: (compared) => (
        <>
          {compared.run.cost === null ? "–" : dollars(compared.run.cost)}
          <span class="muted small block">{costRatio(compared, runs)}</span>
        </>
      ),
      width: "5.5rem",
      align: "end",
      isWide: true,
    },
    {
      title: "Actions",
      cell: (compared) => <RunActions compared={compared} runs={runs} />,
      width: "5rem",
      align: "end",
      isWide: true,
    },
  ];
}

/** `8.1 × A`. */
function costRatio({ run: { cost } }: ComparedRun, runs: readonly ComparedRun[]): string {
  const first = runs[0]?.run.cost ?? 0;
  if (cost === null || first === 0 || cost === first) return "";
  return `${precise(Number((cost / first).toPrecision(2)))} × A`;
}

/** Changes which run the others are compared with, and leaves runs out. */
function RunActions({ compared, runs }: { readonly compared: ComparedRun; readonly runs: readonly ComparedRun[] }) {
  const others = runs.filter((each) => each !== compared);
  const open = (wanted: readonly ComparedRun[]) => go(compareRunsHref(wanted.map(({ run }) => run.id)));
  const isFirst = compared === runs[0];
  if (isFirst && runs.length < 3) return null;
  return (
    <Menu
      label={`Actions for run ${letterOf(runs.indexOf(compared))}`}
      class="button button-quiet button-small button-icon"
      items={[
        !isFirst && { title: "Compare with this run", icon: "compare", run: () => open([compared, ...others]) },
        runs.length > 2 && { title: "Remove from here", icon: "close", run: () => open(others) },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
}

type Range = readonly [least: number, most: number];

/** The values that all intervals need: 0 to 1 if that is enough. Equal ones get some space around them. */
function rangeOf(runs: readonly ComparedRun[]): Range {
  const values = runs.flatMap(({ mean, interval }) => [...(mean === null ? [] : [mean]), ...(interval ?? [])]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (least >= 0 && most <= 1 && most > 0.1) return [0, 1];
  const space = (most - least) * 0.06 || Math.abs(least) * 0.1 || 1;
  return [Number((least - space).toPrecision(2)), Number((most + space).toPrecision(2))];
}

function Interval({ compared: { mean, interval }, range }: { readonly compared: ComparedRun; readonly range: Range }) {
  if (mean === null) return <span class="muted">–</span>;
  const at = (value: number) => `${((value - range[0]) / (range[1] - range[0])) * 100}%`;
  const [low = mean, high = mean] = interval ?? [];
  const label = interval ? `${fixed(low)} to ${fixed(high)}` : "one row, no interval";
  return (
    <>
      <span class="interval" aria-hidden="true">
        {interval && (
          <span class="interval-range" style={{ insetInlineStart: at(low), width: `calc(${at(high)} - ${at(low)})` }} />
        )}
        <span class="interval-mean" style={{ insetInlineStart: at(mean) }} />
      </span>
      <span class="muted small block num">{label}</span>
    </>
  );
}

function Difference({ difference }: Pick<ComparedRun, "difference">): JSX.Element {
  if (!difference) return <span class="muted">first run</span>;
  const { mean, interval, better, equal, worse, masked, onlyFirst, onlyHere } = difference;
  if (mean === null) return <span class="muted">no common rows</span>;
  const [low = 0, high = 0] = interval ?? [];
  const isClear = low > 0 || high < 0;
  const compared = better + equal + worse;
  const others = leftOut(difference);
  return (
    <span class="num">
      <b class={isClear ? (mean > 0 ? "text-good" : "text-bad") : undefined}>{signed(mean)}</b>
      <span class="muted small block">{interval ? `${signed(low)} to ${signed(high)}` : "one common row"}</span>
      {others.length > 0 && (
        <span class="muted small block" title={others.join(", ")}>
          over {count(compared)} of {plural(compared + masked + onlyFirst + onlyHere, "row")}
        </span>
      )}
    </span>
  );
}

/** `8 better, 13 equal, 2 worse`. */
function winsText({ better, equal, worse }: NonNullable<ComparedRun["difference"]>): string {
  return `${count(better)} better, ${count(equal)} equal, ${count(worse)} worse`;
}

/** How many rows a run wins and loses. */
function Wins({ difference }: Pick<ComparedRun, "difference">): JSX.Element {
  if (!difference) return <span class="muted">–</span>;
  const { better, equal, worse } = difference;
  const all = Math.max(1, better + equal + worse);
  return (
    <>
      <span class="wins-bar" aria-hidden="true">
        <span class="wins-better" style={{ width: `${(better / all) * 100}%` }} />
        <span class="wins-worse" style={{ width: `${(worse / all) * 100}%` }} />
      </span>
      <span class="muted small num">{winsText(difference)}</span>
    </>
  );
}

/** `+0.12`, `−0.5`: three decimals at most, unless nothing would be left. */
export function signed(value: number): string {
  const size = Math.abs(value);
  const text = size >= 0.0005 ? decimal(size, 3) : precise(size);
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${text}`;
}
