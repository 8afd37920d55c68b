import type { JSX } from "preact";
import type {
  ComparedRun,
  RunComparisonDetail,
} from "../../../../packages/biplane/src/admin/runs/run-comparison-api.ts";
import { FilterSelect } from "../../components/filter-select.tsx";
import { Card, Page } from "../../components/page.tsx";
import { Loaded } from "../../components/states.tsx";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";
import { href, pageLocation } from "../../router.ts";
import { ComparedEndings, ComparedParts } from "./compared-parts.tsx";
import { ComparedRows } from "./compared-rows.tsx";
import { ComparedRuns } from "./compared-runs.tsx";
import { letterOf } from "./run-letter.tsx";

/** Two or more runs, row by row. The others are compared with the first. */
export function CompareRunsPage({ runs }: { readonly runs: string }): JSX.Element {
  const { scoring = "" } = pageLocation.value.query;
  const comparison = useResource("/api/run-comparison", { query: { runs, scoring, limit: 1 } }, { isCached: true });
  const { data } = comparison;
  return (
    <Page
      title="Compare runs"
      parent={{ title: "Runs", href: href("runs") }}
      about={
        data && (
          <>
            <Verdict runs={data.runs} /> A row is one task of the target. Differences are to run A, over the rows for
            which both have a {scoring === "" ? "reward" : "score"}.
          </>
        )
      }
      actions={
        data &&
        data.scorings.length > 0 && (
          <FilterSelect
            label="What to compare"
            name="scoring"
            value={scoring}
            choices={[
              { value: "", title: "Compare rewards" },
              ...data.scorings.map((value) => ({ value, title: `Compare scoring ${value.slice(0, 60)}` })),
            ]}
          />
        )
      }
    >
      <Loaded resource={comparison} rows={8}>
        {(found) => <Compared comparison={found} runs={runs} scoring={scoring} />}
      </Loaded>
    </Page>
  );
}

/** Which runs are better than the first one beyond doubt: `B and C are better than A.` */
function Verdict({ runs }: { readonly runs: readonly ComparedRun[] }): JSX.Element {
  const letters = (isWanted: (low: number, high: number) => boolean) => {
    const found = runs.flatMap(({ difference }, at) => {
      const [low = -Infinity, high = Infinity] = difference?.interval ?? [];
      return at > 0 && isWanted(low, high) ? [letterOf(at)] : [];
    });
    return { found: names.format(found), verb: found.length === 1 ? "is" : "are" };
  };
  const parts = [
    { ...letters((low) => low > 0), text: "better than A." },
    { ...letters((_, high) => high < 0), text: "worse than A." },
    { ...letters((low, high) => low <= 0 && high >= 0), text: "not clearly different from A." },
  ];
  return (
    <b class="compare-verdict">{parts.map(({ found, verb, text }) => found !== "" && `${found} ${verb} ${text} `)}</b>
  );
}

const names = new Intl.ListFormat("en");

function Compared(props: {
  readonly comparison: RunComparisonDetail;
  readonly runs: string;
  readonly scoring: string;
}): JSX.Element {
  const { comparison, runs, scoring } = props;
  const hasParts = comparison.runs.some(({ parts }) => Object.keys(parts).length > 0);
  return (
    <>
      {comparison.isPartial && (
        <div class="notice">Only the first {count(50_000)} rollouts of each run are compared row by row.</div>
      )}
      <ComparedRuns runs={comparison.runs} isScore={scoring !== ""} />
      <div class={comparison.runs.length <= 4 ? "compare-runs" : "stack"}>
        <div class={hasParts ? "split" : undefined}>
          {hasParts && (
            <Card title={scoring === "" ? "Reward parts" : "Score parts"} isFlush>
              <ComparedParts runs={comparison.runs} />
            </Card>
          )}
          <Card title="Why rollouts ended" isFlush>
            <ComparedEndings runs={comparison.runs} />
          </Card>
        </div>
        <ComparedRows comparison={comparison} runs={runs} scoring={scoring} />
      </div>
    </>
  );
}
