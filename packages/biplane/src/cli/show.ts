import { inputError } from "./command/exit-code.ts";
import { argument, command, count, toggle, option, runs } from "./command/define.ts";
import { readTraces } from "../store/runs/rollouts.ts";
import { scoreTraces, totalReward } from "../rollout/score/scorer.ts";
import { summarize } from "../rollout/score/summary.ts";
import type { Trace } from "../rollout/trace.ts";
import { runReport } from "./rollout/report.ts";
import { chooseRun, openRuns, runDescription, runsStoreArgs } from "./rollout/runs-store.ts";
import { transcript } from "./rollout/transcript.ts";
import { showsColours } from "./terminal/style.ts";
import { formatJson } from "./target/show-result.ts";

/** `biplane show last` */
export const showCommand = command("Show the summary of a run, and one of its rollouts step by step", {
  args: {
    run: argument(runDescription, { takes: runs, required: true }),
    row: option("The row to show: its id or 0-based index (default: the first)"),
    repetition: option("The repetition to show, 0-based", { takes: count, default: "0" }),
    json: toggle("Print the trace as JSON"),
    ...runsStoreArgs,
  },
  run: async ({ args }) => {
    await using store = await openRuns(args);
    const run = await chooseRun(store, args.run);
    const traces = await readTraces(store, run.id);
    const trace = chooseTrace(traces, { row: args.row, repetition: Number(args.repetition) });
    if (args.json) {
      process.stdout.write(`${formatJson(trace)}\n`);
      return;
    }
    const summary = summarize(await scoreTraces(traces, totalReward), { pass: run.pass });
    const hasColours = showsColours(process.stdout);
    process.stdout.write(
      `${runReport(run, summary)}\n\n${trace ? transcript(trace, { hasColours }) : "The run has no rollouts."}\n`,
    );
  },
});

function chooseTrace(
  traces: readonly Trace[],
  wanted: { row: string | undefined; repetition: number },
): Trace | undefined {
  const ordered = traces.toSorted((a, b) => a.index - b.index || a.repetition - b.repetition);
  if (wanted.row === undefined) return ordered[0];
  const found = ordered.filter(({ rowId, index }) => rowId === wanted.row || String(index) === wanted.row);
  const trace = found.find(({ repetition }) => repetition === wanted.repetition) ?? found[0];
  if (trace) return trace;
  throw inputError(`The run has no row ${wanted.row}.`);
}
