import type { JSX } from "preact";
import { place } from "../../router.ts";
import { ComparePage } from "./compare-page.tsx";
import { RunList } from "./run-list.tsx";
import { RunPage } from "./run-page.tsx";
import { TracePage } from "./trace-page.tsx";
import "../episodes/seen.css";
import "./style.css";
import "./trace.css";

/** What was played: runs, one of them, one rollout of it, or two rollouts side by side. */
export default function Runs(): JSX.Element {
  const { path, query } = place.value;
  const [run, trace] = path;
  const { left, right } = query;
  if (run === undefined) return <RunList />;
  // A run may be called anything, but only a comparison has two sides.
  if (run === "compare" && left !== undefined && right !== undefined)
    return <ComparePage key={`${left} ${right}`} left={left} right={right} />;
  return trace === undefined ? <RunPage key={run} id={run} /> : <TracePage key={trace} id={trace} />;
}
