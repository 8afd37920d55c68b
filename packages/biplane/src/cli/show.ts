import { inputError } from "./command/exit-code.ts";
import { argument, command, count, toggle, option, runs } from "./command/define.ts";
import type { ScoredTrace } from "../rollout/score/scorer.ts";
import { figuresOf } from "../store/runs/run-figures.ts";
import { listScorings } from "../store/runs/scores.ts";
import { runReport } from "./rollout/report.ts";
import { chooseRun, openRuns, runDescription, runsStoreArgs } from "./rollout/runs-store.ts";
import { scoredTraces, scoringArgs } from "./rollout/scored-traces.ts";
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
    ...scoringArgs,
    ...runsStoreArgs,
  },
  run: async ({ args }) => {
    await using store = await openRuns(args);
    const run = await chooseRun(store, args.run);
    const scored = await scoredTraces(store, run.id, args.scoring);
    const chosen = chooseTrace(scored, { row: args.row, repetition: Number(args.repetition) });
    if (args.json) {
      process.stdout.write(`${formatJson(chosen?.trace)}\n`);
      return;
    }
    const scorings = await listScorings(store, run.id);
    const summary =
      scorings.find(({ name }) => name === args.scoring)?.summary ?? (await figuresOf(store, run)).summary;
    const score = chosen && args.scoring !== undefined ? { ...chosen.score, by: args.scoring } : undefined;
    const hasColours = showsColours(process.stdout);
    const text = chosen ? transcript(chosen.trace, { hasColours, score }) : "The run has no rollouts.";
    process.stdout.write(`${runReport(run, summary, scorings)}\n\n${text}\n`);
  },
});

function chooseTrace(
  scored: readonly ScoredTrace[],
  wanted: { row: string | undefined; repetition: number },
): ScoredTrace | undefined {
  const ordered = scored.toSorted(({ trace: a }, { trace: b }) => a.index - b.index || a.repetition - b.repetition);
  if (wanted.row === undefined) return ordered[0];
  const found = ordered.filter(({ trace: { rowId, index } }) => rowId === wanted.row || String(index) === wanted.row);
  const chosen = found.find(({ trace }) => trace.repetition === wanted.repetition) ?? found[0];
  if (chosen) return chosen;
  throw inputError(`The run has no row ${wanted.row}.`);
}
