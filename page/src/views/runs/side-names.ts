import type { TraceDetail } from "../../../../packages/biplane/src/admin/runs/trace-api.ts";
import { rolloutTitle } from "./rollout-name.tsx";
import { modelLabel } from "./run-name.tsx";

export type SideNames = readonly [left: string, right: string];

/** What tells two rollouts apart: their runs and models, or their names in one run. */
export function sideNames(left: TraceDetail, right: TraceDetail): SideNames {
  const choices = [
    pair(left, right, left.run === right.run ? rolloutTitle : withModel),
    pair(left, right, ({ run, rowId, index }) => `${run} ${rowId} ${index}`),
  ];
  return choices.find(([one, other]) => one !== other) ?? ["Left", "Right"];
}

function pair(left: TraceDetail, right: TraceDetail, nameOf: (trace: TraceDetail) => string): SideNames {
  return [nameOf(left).slice(0, maxLength), nameOf(right).slice(0, maxLength)];
}

function withModel(trace: TraceDetail): string {
  const model = modelLabel(trace);
  return trace.runTitle.includes(model) ? trace.runTitle : `${trace.runTitle} (${model})`;
}

const maxLength = 80;
