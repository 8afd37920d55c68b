import type { JSX } from "preact";
import { pageLocation } from "../../router.ts";
import { ComparePage } from "./compare-page.tsx";
import { RunList } from "./run-list.tsx";
import { RunPage } from "./run-page.tsx";
import { TracePage } from "./trace-page.tsx";
import "../episodes/value-view.css";
import "./style.css";
import "./trace.css";

/** The list of runs, one run, one rollout, or two rollouts side by side. */
export default function Runs(): JSX.Element {
  const { path, query } = pageLocation.value;
  const [run, trace] = path;
  const { left, right } = query;
  if (run === undefined) return <RunList />;
  // A run may be named `compare`, but only a comparison has `left` and `right`.
  if (run === "compare" && left !== undefined && right !== undefined)
    return <ComparePage key={`${left} ${right}`} left={left} right={right} />;
  return trace === undefined ? <RunPage key={run} id={run} /> : <TracePage key={trace} id={trace} />;
}
