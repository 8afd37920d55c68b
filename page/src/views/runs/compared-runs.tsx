import type { JSX } from "preact";
import type { ComparedRun } from "../../../../packages/biplane/src/admin/runs/run-comparison-api.ts";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { count, decimal, dollars, fixed, percent, plural, precise } from "../../format.ts";
import { href } from "../../router.ts";
import { MeanValue } from "./mean-value.tsx";
import { RunLetter } from "./run-letter.tsx";
import { modelLabel, runTitle } from "./run-name.tsx";
import { RunStatus } from "./run-status.tsx";

/** The compared runs with their means, intervals and wins. */
export function ComparedRuns({
  runs,
  isScore,
}: {
  readonly runs: readonly ComparedRun[];
  readonly isScore: boolean;
}): JSX.Element {
  const isIncomplete = runs.some(({ difference }) => difference && leftOut(difference).length > 0);
  return (
    <div class="stack-tight">
      <Table
        label="Compared runs"
        list={{ items: runs }}
        keyOf={({ run }) => run.id}
        hrefOf={({ run }) => href("runs", [run.id])}
        columns={columnsFor(runs, isScore)}
      />
      {isIncomplete && (
        <p class="muted small">
          * Some rows are left out, because one of the two runs does not have them or has no{" "}
          {isScore ? "score" : "reward"} for them.
        </p>
      )}
    </div>
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
              {compared.passRate !== null && `pass ${percent(compared.passRate)}`}
              {compared.passRate !== null && compared.run.cost !== null && " · "}
              {compared.run.cost !== null && dollars(compared.run.cost)}
            </span>
            {compared.difference && (
              <span class="run-cell-about run-phone-only num">
                {differenceText(compared.difference)}
                <span class="block">
                  {count(compared.difference.better)} better, {count(compared.difference.worse)} worse
                  {leftOut(compared.difference).length > 0 && " *"}
                </span>
              </span>
            )}
          </span>
        </span>
      ),
    },
    { title: "Status", cell: ({ run }) => <RunStatus run={run} />, width: "6.5rem", isRoomy: true },
    {
      title: isScore ? "Score" : "Reward",
      cell: ({ mean, standardError }) => <MeanValue mean={mean} standardError={standardError} />,
      width: "min(8rem, 24vw)",
      align: "end",
    },
    {
      title: "95% interval",
      cell: (compared) => <Interval compared={compared} range={range} />,
      width: "11rem",
      isWide: true,
    },
    {
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
      width: "9.5rem",
      align: "end",
      isWide: true,
    },
    {
      title: "Better, equal, worse",
      cell: ({ difference }) => <Wins difference={difference} />,
      width: "11rem",
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
      cell: ({ run }) => (run.cost === null ? "–" : dollars(run.cost)),
      width: "5rem",
      align: "end",
      isWide: true,
    },
  ];
}

type Range = readonly [least: number, most: number];

/** The values that all intervals need. Equal ones get some space around them. */
function rangeOf(runs: readonly ComparedRun[]): Range {
  const values = runs.flatMap(({ mean, interval }) => [...(mean === null ? [] : [mean]), ...(interval ?? [])]);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const space = (most - least) * 0.06 || Math.abs(least) * 0.1 || 1;
  return [least - space, most + space];
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
  const { mean, interval } = difference;
  if (mean === null) return <span class="muted">no common rows</span>;
  const [low = 0, high = 0] = interval ?? [];
  const isClear = low > 0 || high < 0;
  return (
    <span class="num">
      <b class={isClear ? (mean > 0 ? "text-good" : "text-bad") : undefined}>{signed(mean)}</b>
      <span class="muted small block">{interval ? `${signed(low)} to ${signed(high)}` : "one common row"}</span>
    </span>
  );
}

/** The same as a text: `+0.12 (−0.02 to +0.26)`. */
function differenceText({ mean, interval }: NonNullable<ComparedRun["difference"]>): string {
  if (mean === null) return "no common rows";
  const [low = 0, high = 0] = interval ?? [];
  return interval ? `${signed(mean)} (${signed(low)} to ${signed(high)})` : signed(mean);
}

/** How many rows a run wins and loses. */
function Wins({ difference }: Pick<ComparedRun, "difference">): JSX.Element {
  if (!difference) return <span class="muted">–</span>;
  const { better, equal, worse } = difference;
  const all = Math.max(1, better + equal + worse);
  const others = leftOut(difference);
  return (
    <span class="wins" title={others.join(", ") || undefined}>
      <span class="wins-bar" aria-hidden="true">
        <span class="wins-better" style={{ width: `${(better / all) * 100}%` }} />
        <span class="wins-worse" style={{ width: `${(worse / all) * 100}%` }} />
      </span>
      <span class="num">
        <span class="text-good">{count(better)}</span> <span class="muted">{count(equal)}</span>{" "}
        <span class="text-bad">{count(worse)}</span>
        {others.length > 0 && <span class="muted"> *</span>}
        <span class="hidden">
          {` better ${better}, equal ${equal}, worse ${worse}`}
          {others.length > 0 && `. ${others.join(", ")}`}
        </span>
      </span>
    </span>
  );
}

/** `+0.12`, `−0.5`: three decimals at most, unless nothing would be left. */
export function signed(value: number): string {
  const size = Math.abs(value);
  const text = size >= 0.0005 ? decimal(size, 3) : precise(size);
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${text}`;
}
