import type { JSX } from "preact";
import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { callApi } from "../../api.ts";
import { Confirm } from "../../components/dialog.tsx";
import { Text } from "../../components/text.tsx";
import { toast } from "../../components/toast.tsx";
import { count, plural } from "../../format.ts";
import { runTitle } from "./run-name.tsx";

/** Asks, then deletes runs one by one. */
export function DeleteRuns(props: {
  readonly runs: readonly RunSummary[];
  readonly onClose: () => void;
  readonly onDeleted?: (id: string) => void;
  readonly onDone: () => void;
}): JSX.Element {
  const { runs, onClose, onDeleted, onDone } = props;
  const [first] = runs;
  const rollouts = runs.reduce((sum, { finished }) => sum + finished, 0);
  const run = async () => {
    for (const { id } of runs) {
      await callApi("DELETE /api/runs/:id", { id });
      onDeleted?.(id);
    }
    toast(`Deleted ${plural(runs.length, "run")}`);
    onDone();
  };
  return (
    <Confirm
      title={runs.length === 1 ? "Delete this run?" : `Delete ${runs.length} runs?`}
      action="Delete"
      run={run}
      onClose={onClose}
    >
      {first && runs.length === 1 && (
        <>
          <b>
            <Text value={runTitle(first)} isFixed maxLength={100} />
          </b>
          :{" "}
        </>
      )}
      {count(rollouts)} {rollouts === 1 ? "rollout" : "rollouts"} with traces, scores and annotations are deleted. This
      cannot be undone.
    </Confirm>
  );
}
