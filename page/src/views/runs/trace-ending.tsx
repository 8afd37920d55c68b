import type { JSX } from "preact";
import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { Text } from "../../components/text.tsx";
import { plural } from "../../format.ts";
import { Reward } from "../episodes/reward.tsx";
import { EndingBadge } from "./endings.tsx";

/** How a rollout ended, with the whole error if it failed. */
export function TraceEnding({ trace }: { readonly trace: TraceDetail }): JSX.Element {
  const { ending, reason, failure, attempts, trace: steps } = trace;
  return (
    <div class={`${failure === null ? "notice" : "problem"} trace-ending`} role="status">
      <EndingBadge reason={reason} />
      <div class="grow stack-tight">
        <span>
          Ended after {plural(steps.length, "step")}{" "}
          {trace.reward === null ? (
            "without a reward. It is left out of averages."
          ) : (
            <>
              with a total reward of <Reward value={trace.reward} />.
            </>
          )}
          {ending?.finishReason !== undefined && (
            <>
              {" "}
              Model finish reason: <Text value={ending.finishReason} maxLength={200} />.
            </>
          )}
        </span>
        {failure !== null && <Text value={failure.message} isBlock maxLength={20_000} />}
        {attempts.slice(0, maxAttempts).map((attempt) => (
          <span key={attempt.startedAt} class="muted">
            An attempt failed after {plural(attempt.steps, "step")} ({attempt.failure.kind}):{" "}
            <Text value={attempt.failure.message} isBlock maxLength={4000} />
          </span>
        ))}
      </div>
    </div>
  );
}

const maxAttempts = 10;
