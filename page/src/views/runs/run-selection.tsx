import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Button, LinkButton } from "../../components/button.tsx";
import { plural } from "../../format.ts";
import { href } from "../../router.ts";
import { DeleteRuns } from "./delete-runs.tsx";
import { EditRuns } from "./edit-runs.tsx";

/** What can be done with the selected runs, or that runs can be selected. */
export function RunSelection(props: {
  readonly runs: readonly RunSummary[];
  /** The number of runs in the list. */
  readonly all: string;
  readonly mayEdit: boolean;
  readonly onClear: () => void;
  readonly onDeleted: (id: string) => void;
}): JSX.Element {
  const { runs, all, mayEdit, onClear, onDeleted } = props;
  const [open, setOpen] = useState<"tags" | "delete">();
  const close = () => setOpen(undefined);
  if (runs.length === 0)
    return (
      <div class="run-hint">
        <span class="muted">{all}. Select two or more to compare them.</span>
        <span class="wide-only">
          <Button icon="compare" size="small" isDisabled title="Select two or more runs in the list">
            Compare
          </Button>
        </span>
      </div>
    );
  return (
    <div class="run-selection" role="region" aria-label="Selected runs">
      <span class="strong" role="status">
        {plural(runs.length, "run")} selected
      </span>
      {runs.length > 1 && runs.length <= maxCompared ? (
        <LinkButton kind="main" icon="compare" href={compareRunsHref(runs.map(({ id }) => id))}>
          Compare
        </LinkButton>
      ) : (
        <span class="muted">
          {runs.length === 1 ? "Select another to compare." : `Compare at most ${maxCompared}.`}
        </span>
      )}
      {mayEdit && (
        <>
          <Button onClick={() => setOpen("tags")}>{runs.length === 1 ? "Name and tags" : "Add tags"}</Button>
          <Button kind="bad" icon="trash" onClick={() => setOpen("delete")}>
            Delete
          </Button>
        </>
      )}
      <Button kind="quiet" icon="close" label="Clear selection" onClick={onClear} />
      {open === "tags" && <EditRuns runs={runs} onClose={close} />}
      {open === "delete" && (
        <DeleteRuns
          runs={runs}
          onClose={close}
          onDeleted={onDeleted}
          onDone={() => {
            close();
            onClear();
          }}
        />
      )}
    </div>
  );
}

const maxCompared = 8;

/** Link to the comparison of runs. Commas separate the ids, so those within an id are encoded. */
export function compareRunsHref(ids: readonly string[]): string {
  return href("runs", ["compare"], { runs: ids.map(encodeURIComponent).join(",") });
}
