import type { JSX } from "preact";
import { pageLocation } from "../../router.ts";
import { ComparePage } from "./compare-page.tsx";
import { CompareRunsPage } from "./compare-runs-page.tsx";
import { RunList } from "./run-list.tsx";
import { RunPage } from "./run-page.tsx";
import { TracePage } from "./trace-page.tsx";
import "../episodes/value-view.css";
import "./compare.css";
import "./style.css";
import "./trace.css";

/** The list of runs, one run, one rollout, or runs or rollouts side by side. */
export default function Runs(): JSX.Element {
  const { path, query } = pageLocation.value;
  const [run, trace] = path;
  const { left, right, runs } = query;
  if (run === undefined) return <RunList />;
  // A run may be named `compare`, but only a comparison has these.
  if (run === "compare" && left !== undefined && right !== undefined)
    return <ComparePage key={`${left} ${right}`} left={left} right={right} />;
  if (run === "compare" && runs !== undefined) return <CompareRunsPage key={runs} runs={runs} />;
  return trace === undefined ? <RunPage key={run} id={run} /> : <TracePage key={trace} id={trace} />;
}
