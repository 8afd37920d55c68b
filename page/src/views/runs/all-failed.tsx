import type { JSX } from "preact";
import type { RunDetail } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Text } from "../../components/text.tsx";
import { count } from "../../format.ts";
import { useResource } from "../../resource.ts";

/** True if rollouts have ended and none of them reached its own end. */
export function hasOnlyFailed({ finished, failed }: Pick<RunDetail, "finished" | "failed">): boolean {
  return finished > 0 && failed === finished;
}

/** Says once why every rollout of a run failed, and how they are played again. */
export function AllFailed({ run: { id, finished } }: { readonly run: RunDetail }): JSX.Element {
  const traces = useResource("/api/runs/:id/traces", { id, query: { limit: 20 } }, { isCached: true });
  const causes = [...new Set(traces.data?.traces.flatMap(({ message }) => (message === null ? [] : [message])))];
  return (
    <div class="problem run-all-failed" role="alert">
      <div class="grow stack-tight">
        <b>{finished === 1 ? "The rollout failed." : `All ${count(finished)} rollouts failed.`}</b>
        {causes.slice(0, maxCauses).map((cause) => (
          <Text key={cause} value={cause} isBlock maxLength={2400} />
        ))}
        <p>
          When the cause is gone, start a new run. With <code>--retries 3</code>, each rollout is tried again after a
          failure of the model or its provider. <code>biplane rollout --resume</code> plays no failed rollout again.
        </p>
      </div>
    </div>
  );
}

const maxCauses = 3;
