import type { JSX } from "preact";
import type { ShownRun } from "../../../../src/desk/contract.ts";
import { Badge } from "../../components/badge.tsx";
import type { Tone } from "../../components/badge.tsx";
import { Duration } from "../../components/time.tsx";
import { percent } from "../../format.ts";

export function RunStatus({ run: { status } }: { readonly run: Pick<ShownRun, "status"> }): JSX.Element {
  return (
    <Badge tone={tones[status]} dot title={titles[status]}>
      {status}
    </Badge>
  );
}

const tones: Readonly<Record<ShownRun["status"], Tone>> = {
  running: "accent",
  finished: "good",
  cancelled: "warn",
  interrupted: "bad",
};

const titles: Readonly<Record<ShownRun["status"], string>> = {
  running: "It is being played",
  finished: "All of it was played",
  cancelled: "It was stopped: biplane rollout --resume goes on with it",
  interrupted: "Its process is gone: biplane rollout --resume goes on with it",
};

/** How many rollouts a run has in all. */
export function rolloutsOf({ rows, repetitions }: Pick<ShownRun, "rows" | "repetitions">): number {
  return rows * repetitions;
}

/** How far a run is, while it is not all played. */
export function RunProgress({ run }: { readonly run: ShownRun }): JSX.Element | null {
  const all = rolloutsOf(run);
  if (run.status === "finished" || all === 0) return null;
  return (
    <progress class="run-progress" max={all} value={run.finished} aria-label="Rollouts played">
      {percent(run.finished / all)}
    </progress>
  );
}

/** How long it took, or takes already. */
export function RunDuration({ run: { startedAt, endedAt, status } }: { readonly run: ShownRun }): JSX.Element {
  if (endedAt === undefined && status !== "running") return <span class="muted">–</span>;
  return (
    <Duration ms={Math.max(0, (endedAt === undefined ? Date.now() : Date.parse(endedAt)) - Date.parse(startedAt))} />
  );
}
