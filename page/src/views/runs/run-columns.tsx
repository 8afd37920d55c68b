import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import type { Column } from "../../components/table.tsx";
import { Text } from "../../components/text.tsx";
import { Time } from "../../components/time.tsx";
import { count, dollars, plural } from "../../format.ts";
import { MeanValue } from "./mean-value.tsx";
import { modelLabel, otherTags, runTitle } from "./run-name.tsx";
import { RunDuration, RunProgress, RunStatus, rolloutsOf } from "./run-status.tsx";
import { RunTags } from "./run-tags.tsx";

/**
 * The columns of the list of runs. Score, tokens and cost are there if a run has them, targets if they may differ, and
 * pass rates unless they equal the rewards, as they do if every reward is 0 or 1.
 */
export function runColumns(runs: readonly RunSummary[], hasTargets: boolean): readonly Column<RunSummary>[] {
  const hasPass = isPassOfOwn(runs);
  const has = {
    Target: hasTargets,
    Pass: hasPass,
    Score: runs.some(({ score }) => score !== null),
    Tokens: runs.some(({ tokens }) => tokens > 0),
    Cost: runs.some(({ cost }) => cost !== null),
  };
  return columnsWith(hasTargets, hasPass).filter(
    ({ title }) => (has as Readonly<Record<string, boolean>>)[title] !== false,
  );
}

/** True if a pass rate says something else than the mean reward. */
export function isPassOfOwn(runs: readonly Pick<RunSummary, "passRate" | "meanReward">[]): boolean {
  return runs.some(
    ({ passRate, meanReward }) => passRate !== null && (meanReward === null || Math.abs(passRate - meanReward) > 1e-9),
  );
}

const columnsWith = (hasTargets: boolean, hasPass: boolean): readonly Column<RunSummary>[] => [
  {
    title: "Run",
    order: "name",
    cell: (run) => (
      <span class="run-cell" title={run.id}>
        <span class="run-cell-title">
          <Text value={runTitle(run)} maxLength={160} isFixed />
        </span>
        <span class="run-cell-about">
          <span class="run-phone-only">
            {!runTitle(run).includes(modelLabel(run)) && <Text value={modelLabel(run)} maxLength={40} isFixed />}
            {hasTargets && run.name !== null && (
              <>
                {" "}
                <span class="run-cell-target">
                  in <Text value={run.target} maxLength={80} isFixed />
                </span>
              </>
            )}{" "}
          </span>
          {run.id !== runTitle(run) && (
            // A name says more. Small screens have no space for both.
            <span class={run.name === null ? "mono" : "mono roomy-only"}>
              <Text value={run.id} maxLength={60} isFixed />
            </span>
          )}
        </span>
        <span class="run-cell-about narrow-only wide-only">
          <RunTags tags={otherTags(run)} />
        </span>
      </span>
    ),
    under: (run) => {
      const { status, failed, passRate, cost, startedAt } = run;
      return (
        <span class="row-facts">
          {status !== "finished" && (
            <span>
              <RunStatus run={run} />
            </span>
          )}
          {!isOver(run) && <span>{finishedText(run)} rollouts</span>}
          {status === "failed" ? (
            <span>all {plural(failed, "rollout")}</span>
          ) : (
            failed > 0 && <span class="text-bad">{count(failed)} failed</span>
          )}
          <span>
            <Time at={startedAt} />
          </span>
          {hasPass && passRate !== null && <span>pass {passText(passRate)}</span>}
          {cost !== null && <span>{dollars(cost)}</span>}
        </span>
      );
    },
    class: "run-list-column",
  },
  {
    title: "Target",
    cell: ({ target }) => <Text value={target} maxLength={80} isFixed />,
    width: "11rem",
    isRoomy: true,
  },
  {
    title: "Tags",
    cell: ({ tags }) => <RunTags tags={tags} />,
    // Without targets, both names and tags have more space.
    ...(hasTargets && { width: "11.5rem" }),
    isRoomy: true,
    isWrapped: true,
  },
  { title: "Status", order: "status", cell: (run) => <RunStatus run={run} />, width: "7rem", isWide: true },
  {
    title: "Model",
    order: "model",
    cell: (run) => (
      <>
        <Text value={modelLabel(run)} maxLength={60} isFixed />
        {hasTargets && run.name !== null && (
          <span class="narrow-only muted small block">
            in <Text value={run.target} maxLength={80} isFixed />
          </span>
        )}
      </>
    ),
    width: "10rem",
    isWide: true,
    isWrapped: true,
  },
  {
    title: "Rollouts",
    about: "Episodes that the agent played",
    order: "-rollouts",
    cell: (run) => (
      <span class="num">
        {finishedText(run)}
        {run.failed > 0 && <span class="text-bad small block">{count(run.failed)} failed</span>}
        <RunProgress run={run} />
      </span>
    ),
    width: "5rem",
    align: "end",
    isWide: true,
  },
  {
    title: "Reward",
    about: `Mean over the rows of the target, ± its standard error.${hasPass ? "" : " It equals the pass rate."}`,
    order: "-reward",
    cell: (run) => <MeanValue mean={run.meanReward} standardError={run.standardError} />,
    width: "min(7.5rem, 20.5vw)",
    align: "end",
  },
  {
    title: "Pass",
    about: "Share of the rollouts whose reward is high enough",
    order: "-pass",
    cell: ({ passRate }) => (passRate === null ? <span class="muted">–</span> : passText(passRate)),
    width: "4.25rem",
    align: "end",
    isWide: true,
  },
  {
    title: "Score",
    about: "Mean of the newest scoring, such as that of a judge",
    order: "-score",
    cell: ({ score }) =>
      score === null ? (
        <span class="muted">–</span>
      ) : (
        <span title={`Scoring ${score.name.slice(0, 100)}`}>
          <MeanValue mean={score.mean} standardError={null} />
        </span>
      ),
    width: "4.25rem",
    align: "end",
    isWide: true,
  },
  {
    title: "Tokens",
    order: "-tokens",
    cell: ({ tokens }) => (tokens === 0 ? <span class="muted">–</span> : count(tokens)),
    width: "5rem",
    align: "end",
    isRoomy: true,
  },
  {
    title: "Cost",
    order: "-cost",
    cell: ({ cost }) => (cost === null ? <span class="muted">–</span> : dollars(cost)),
    width: "4.75rem",
    align: "end",
    isWide: true,
  },
  {
    title: "Started",
    order: "-started",
    cell: ({ startedAt }) => <Time at={startedAt} />,
    width: "6.25rem",
    align: "end",
    isWide: true,
  },
  {
    title: "Duration",
    order: "-duration",
    cell: (run) => <RunDuration run={run} />,
    width: "7.5rem",
    align: "end",
    isRoomy: true,
  },
];

/** `89.6%`, `50.0%` and `100%`. */
function passText(rate: number): string {
  return rate === 1 ? "100%" : `${(rate * 100).toFixed(1)}%`;
}

/** `48` of a run that is over, otherwise `17 of 48`. */
function finishedText(run: RunSummary): string {
  return isOver(run) ? count(run.finished) : `${count(run.finished)} of ${count(rolloutsOf(run))}`;
}

function isOver({ status }: RunSummary): boolean {
  return status === "finished" || status === "failed";
}
