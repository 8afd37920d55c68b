import type { JSX } from "preact";
import type { RunDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Figure } from "../../components/page.tsx";
import { count, decimal, dollars, percent, plural, precise, uncertainty } from "../../format.ts";
import { RunProgress, rolloutsOf } from "./run-status.tsx";

/** The figures of a run. */
export function RunNumbers({ run }: { readonly run: RunDetail }): JSX.Element {
  const { failed, finished, meanReward, standardError, passRate, tokens, cost } = run;
  const { interval, rollouts, steps, rows } = run.summary;
  const most = passAtMost(run);
  // Of rewards that are 0 or 1, the mean is the share that passes.
  const isShare = passRate !== null && Math.abs(passRate - (meanReward ?? NaN)) < 1e-9;
  return (
    <div class="figures run-figures">
      <Figure
        title="Mean reward"
        value={precise(meanReward)}
        about={
          standardError !== null ? (
            <>
              <span class="block" title={`Standard error of the mean over rows: ${uncertainty(standardError)}`}>
                95% interval{" "}
                <span class="run-range">
                  {precise(interval?.[0])} to {precise(interval?.[1])}
                </span>
              </span>
              <span class="block">{sampleOf(run)}</span>
              {isShare && (
                <span class="block" title={passTitle(run)}>
                  pass@1 {percent(passRate)}
                  {most !== "" && `, ${most}`}
                </span>
              )}
            </>
          ) : (
            [rollouts === 0 ? "no rollout has finished" : "no rollout has a reward", "one row"][rows]
          )
        }
      />
      {!(isShare && standardError !== null) && (
        <Figure
          title="pass@1"
          value={passRate === null ? "–" : percent(passRate)}
          about={
            <>
              <span title={passTitle(run)}>{passCondition(run)}</span>
              {most !== "" && <span class="block">{most}</span>}
            </>
          }
        />
      )}
      <Figure
        title="Rollouts"
        value={count(finished)}
        tone={failed > 0 ? "bad" : undefined}
        about={[...planOf(run), ...exceptions(run)].map((line) => (
          <span key={line} class="block">
            {line}
          </span>
        ))}
      >
        <RunProgress run={run} />
      </Figure>
      <Figure
        title="Steps"
        value={count(steps)}
        about={finished > 0 && steps > 0 ? `${decimal(steps / finished, 1)} per rollout` : ""}
      />
      <Figure
        title="Tokens"
        value={tokens > 0 ? count(tokens) : "–"}
        about={tokens > 0 && finished > 0 ? `${count(Math.round(tokens / finished))} per rollout` : "none reported"}
      />
      <Figure
        title="Cost"
        value={cost === null ? "–" : dollars(cost)}
        about={cost === null ? "not known" : finished > 0 ? `${dollars(cost / finished)} per rollout` : ""}
      />
    </div>
  );
}

/** `24 rows, each 2 times`. While rollouts are missing, also how many there will be. */
function planOf(run: RunDetail): readonly string[] {
  const { rows, repetitions, finished } = run;
  const all = rolloutsOf(run);
  const plan = repetitions === 1 ? plural(rows, "row") : `${plural(rows, "row")}, each ${repetitions} times`;
  return finished === all ? [plan] : [`of ${count(all)}`, plan];
}

/** What the mean is taken of. Without some rollouts of a row it is not the mean of all rollouts. */
function sampleOf({ repetitions, summary }: RunDetail): string {
  const { rows, rollouts, masked } = summary;
  const isEven = rollouts - masked === rows * repetitions;
  return isEven ? `mean of ${plural(rows, "row")}` : `each of ${plural(rows, "row")} counts once`;
}

function passCondition({ summary: { pass } }: RunDetail): string {
  return pass === null ? "reward above 0" : `reward at least ${precise(pass)}`;
}

function passTitle({ summary: { pass } }: RunDetail): string {
  return pass === null
    ? "A rollout passes with a reward above 0"
    : `A rollout passes with a reward of at least ${precise(pass)}`;
}

/** The pass rate with the most rollouts of a row: `pass@8 96%`. */
function passAtMost({ summary: { passAt } }: RunDetail): string {
  const best = Object.entries(passAt).slice(1).at(-1);
  return best ? `pass@${best[0]} ${percent(best[1])}` : "";
}

/** Rollouts that are not as the others. Each is counted once: a cancelled one has no reward either. */
function exceptions({ failed, finished, masked, summary: { rollouts } }: RunDetail): readonly string[] {
  const cancelled = Math.max(0, rollouts - finished);
  const withoutReward = Math.max(0, masked - cancelled);
  const failedText = `${count(failed)} failed (${percent(failed / Math.max(1, finished))})`;
  const areSame = withoutReward === failed;
  return [
    ...(failed > 0 ? [areSame ? `${failedText}, in no average` : failedText] : []),
    ...(withoutReward > 0 && !areSame ? [`${count(withoutReward)} without a reward, in no average`] : []),
    ...(cancelled > 0 ? [`${count(cancelled)} cancelled, not counted`] : []),
  ];
}
