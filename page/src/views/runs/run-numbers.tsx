import type { JSX } from "preact";
import type { RunDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Figure } from "../../components/page.tsx";
import { count, decimal, dollars, percent, plural, precise, uncertainty } from "../../format.ts";
import { rolloutsOf } from "./run-status.tsx";

/** The figures of a run. */
export function RunNumbers({ run }: { readonly run: RunDetail }): JSX.Element {
  const { failed, finished, meanReward, standardError, passRate, tokens, cost } = run;
  const { interval, rows, rollouts, steps, passAt, pass } = run.summary;
  const best = Object.entries(passAt).slice(1).at(-1);
  return (
    <div class="figures run-figures">
      <Figure
        title="Mean reward"
        value={precise(meanReward)}
        about={
          standardError !== null ? (
            <>
              mean of {plural(rows, "row")}
              <span class="block">± {uncertainty(standardError)} standard error</span>
              <span class="block">
                95% interval{" "}
                <span class="run-range">
                  {precise(interval?.[0])} to {precise(interval?.[1])}
                </span>
              </span>
            </>
          ) : (
            [rollouts === 0 ? "no rollout has finished" : "no rollout has a reward", "one row"][rows]
          )
        }
      />
      <Figure
        title="pass@1"
        value={passRate === null ? "–" : percent(passRate)}
        about={
          <>
            {rows > 1 && passRate !== null && <span class="block">mean of {plural(rows, "row")}</span>}
            {pass === null ? "reward above 0" : `reward at least ${precise(pass)}`}
            {best && (
              <span class="block">
                pass@{best[0]} {percent(best[1])}
              </span>
            )}
          </>
        }
      />
      <Figure
        title="Rollouts"
        value={count(finished)}
        tone={failed > 0 ? "bad" : undefined}
        about={[`of ${count(rolloutsOf(run))}`, ...exceptions(run)].map((line) => (
          <span key={line} class="block">
            {line}
          </span>
        ))}
      />
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
