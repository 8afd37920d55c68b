import type { JSX } from "preact";
import type { RunSummary } from "../../../../packages/biplane/src/admin/runs/run-api.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { Duration } from "../../components/time.tsx";
import { count, percent } from "../../format.ts";

export function RunStatus({ run: { status } }: { readonly run: Pick<RunSummary, "status"> }): JSX.Element {
  return (
    <Badge tone={tones[status]} dot title={titles[status]}>
      {status}
    </Badge>
  );
}

const tones: Readonly<Record<RunSummary["status"], Tone>> = {
  running: "accent",
  finished: "good",
  failed: "bad",
  cancelled: "warn",
  interrupted: "bad",
};

const titles: Readonly<Record<RunSummary["status"], string>> = {
  running: "In progress",
  finished: "All rollouts have finished",
  failed: "Every rollout failed. The endings say why.",
  cancelled: "Cancelled. Resume it with biplane rollout --resume.",
  interrupted: "The process ended. Resume the run with biplane rollout --resume.",
};

/** Total number of rollouts of a run. */
export function rolloutsOf({ rows, repetitions }: Pick<RunSummary, "rows" | "repetitions">): number {
  return rows * repetitions;
}

/** Progress bar of an unfinished run. */
export function RunProgress({ run }: { readonly run: RunSummary }): JSX.Element | null {
  const all = rolloutsOf(run);
  if (run.status === "finished" || run.status === "failed" || all === 0) return null;
  return (
    <>
      <progress class="run-progress" max={all} value={run.finished} aria-label="Finished rollouts">
        {percent(run.finished / all)}
      </progress>
      {run.playing !== null && (
        <span class="figure-about">
          {count(run.playing)} playing, {count(Math.max(0, all - run.finished - run.playing))} queued
        </span>
      )}
    </>
  );
}

/** Duration of the run so far. */
export function RunDuration({ run: { startedAt, endedAt, status } }: { readonly run: RunSummary }): JSX.Element {
  if (endedAt === undefined && status !== "running") return <span class="muted">–</span>;
  return (
    <Duration ms={Math.max(0, (endedAt === undefined ? Date.now() : Date.parse(endedAt)) - Date.parse(startedAt))} />
  );
}
